/* SPDX-License-Identifier: MIT */
/* engine/loop.h: the measured loop, instantiated in every method's file.
 *
 * `reserve` is a constant there and is inlined, so the loop costs what a hand-written
 * one would: a size from a table in cache, the method, the tally. The tally (three
 * telescoping sums) is what lets every window be verified; it lives in registers.
 *
 * The flag is polled between batches, so a thread is at most DWCAS_BATCH operations late. */
#ifndef DWCAS_ENGINE_LOOP_H
#define DWCAS_ENGINE_LOOP_H

#include "engine/worker.h"

#define DWCAS_INLINE static inline __attribute__((always_inline))

typedef dwcas_reservation reserve_function(void *state, dwcas_thread *thread, uint64_t size);

struct tally {
    uint64_t ops;
    uint64_t size;
    uint64_t start_end;
    uint64_t links;
};

DWCAS_INLINE void tally_add(struct tally *tally, dwcas_reservation r, uint64_t size)
{
    tally->ops++;
    tally->size += size;
    tally->start_end += r.start * r.start - r.end * r.end;
    tally->links += r.start * (r.prev - r.end);
}

DWCAS_INLINE void tally_keep(struct dwcas_worker *worker, const struct tally *tally)
{
    worker->result.total_ops = tally->ops;
    worker->result.total_retries = worker->thread.retries;
    worker->result.sum_size = tally->size;
    worker->result.sum_start_end = tally->start_end;
    worker->result.sum_links = tally->links;
}

/* The table of sizes, read in a circle. Behind its end it goes on with its beginning for
 * one batch and one sample (run.c makes it so): the turn is taken once per batch. */
struct size_cursor {
    const uint32_t *next;
    const uint32_t *end;
    uint32_t count;
};

DWCAS_INLINE struct size_cursor size_cursor_of(const struct dwcas_worker *worker)
{
    const struct dwcas_run_state *run = worker->run;
    const uint32_t count = run->plan->size_count;

    return (struct size_cursor){run->sizes + run->plan->offsets[worker->index] % count,
                                run->sizes + count, count};
}

DWCAS_INLINE void size_turn(struct size_cursor *cursor)
{
    while (cursor->next >= cursor->end)
        cursor->next -= cursor->count;
}

DWCAS_INLINE void window_loop(struct dwcas_worker *worker, reserve_function *reserve)
{
    void *const state = worker->run->method_state;
    const uint32_t sample_every = worker->run->plan->sample_every / DWCAS_BATCH + 1;
    struct size_cursor sizes = size_cursor_of(worker);
    dwcas_thread *const thread = &worker->thread;
    struct tally tally = {0, 0, 0, 0};
    uint32_t until_sample = sample_every;
    uint32_t seen = PHASE_WARMUP;

    for (;;) {
        const uint32_t phase = worker_phase(worker);

        if (phase == PHASE_STOP)
            break;
        if (phase != seen) {
            dwcas_worker_stamp(worker, phase, tally.ops, thread->retries);
            seen = phase;
        }
        atomic_store_explicit(&worker->progress, tally.ops, memory_order_relaxed);
        size_turn(&sizes);
        for (uint32_t i = 0; i < DWCAS_BATCH; i++) {
            const uint64_t size = *sizes.next++;
            const dwcas_reservation r = reserve(state, thread, size);

            if (r.start == DWCAS_NOT_RESERVED)
                goto aborted;
            tally_add(&tally, r, size);
        }
        if (--until_sample == 0) {
            const uint64_t size = *sizes.next++;
            const uint64_t begin = clock_ticks();
            const dwcas_reservation r = reserve(state, thread, size);
            const uint64_t end = clock_ticks();

            if (r.start == DWCAS_NOT_RESERVED)
                goto aborted;
            tally_add(&tally, r, size);
            if (seen == PHASE_WINDOW)
                worker_sample(worker, begin, end);
            until_sample = sample_every;
        }
    }
aborted:
    dwcas_worker_stamp(worker, PHASE_STOP, tally.ops, thread->retries);
    tally_keep(worker, &tally);
}

/* A fixed number of operations, each one recorded with the time around it. */
DWCAS_INLINE void history_loop(struct dwcas_worker *worker, reserve_function *reserve)
{
    const dwcas_plan *plan = worker->run->plan;
    dwcas_interval *recorded = plan->recorded + worker->index * plan->history;
    struct size_cursor sizes = size_cursor_of(worker);
    dwcas_thread *const thread = &worker->thread;
    struct tally tally = {0, 0, 0, 0};

    dwcas_worker_stamp(worker, PHASE_WINDOW, 0, 0);
    while (tally.ops < plan->history && worker_phase(worker) != PHASE_STOP) {
        size_turn(&sizes);
        const uint64_t size = *sizes.next++;
        const uint64_t begin = clock_ns();
        const dwcas_reservation r = reserve(worker->run->method_state, thread, size);
        const uint64_t finish = clock_ns();

        if (r.start == DWCAS_NOT_RESERVED)
            break;
        recorded[tally.ops] = (dwcas_interval){begin, finish, r.start, r.end, r.prev, size};
        tally_add(&tally, r, size);
        atomic_store_explicit(&worker->progress, tally.ops, memory_order_relaxed);
    }
    dwcas_worker_stamp(worker, PHASE_STOP, tally.ops, thread->retries);
    tally_keep(worker, &tally);
}

#endif
