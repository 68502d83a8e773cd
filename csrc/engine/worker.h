/* SPDX-License-Identifier: MIT */
/* engine/worker.h: one thread of a run, and what all of them share. */
#ifndef DWCAS_ENGINE_WORKER_H
#define DWCAS_ENGINE_WORKER_H

#include "dwcas/engine.h"
#include "engine/clock.h"
#include "engine/latency.h"

#include <pthread.h>
#include <stdatomic.h>

/* Operations between two looks at the flag. */
enum { DWCAS_BATCH = 16 };

enum { PHASE_WARMUP, PHASE_WINDOW, PHASE_STOP };

/* Lines that move between cores are 64 bytes; prefetchers fetch them in pairs, and
 * Kunpeng's are 128. */
#define DWCAS_LINE 128

struct dwcas_run_state {
    const dwcas_plan *plan;
    void *method_state; /* or the insert path's, which has the method's */
    void (*loop)(struct dwcas_worker *worker);
    uint32_t *sizes; /* the plan's table and DWCAS_BATCH + 1 more entries from its beginning */
    struct dwcas_worker *workers;
    pthread_mutex_t gate; /* guards the next three and `changed` */
    pthread_cond_t changed;
    uint32_t waiting; /* at the gate */
    uint32_t left;    /* have left the loop */
    int open;         /* the gate: 0 shut, 1 open, -1 go home (a thread is missing) */
    /* Polled by every thread between batches, written three times in a run. */
    _Alignas(DWCAS_LINE) _Atomic uint32_t phase;
    _Atomic uint32_t abort;
    _Alignas(DWCAS_LINE) _Atomic uint32_t entered; /* have passed the gate */
};

struct dwcas_worker {
    _Alignas(DWCAS_LINE) struct dwcas_run_state *run;
    pthread_t handle;
    uint32_t index;
    int schedstat; /* open file, or -1 */
    dwcas_thread thread;
    /* Written by the worker's loop. progress is read by the controller if the run hangs. */
    _Atomic uint64_t progress;
    uint64_t window_ops; /* counts when the window opened */
    uint64_t window_retries;
    int64_t window_run_delay_ns;
    uint64_t window_cpu_ns;
    uint64_t window_involuntary;
    uint64_t latency_max_ticks;
    uint64_t latency_clipped;
    dwcas_thread_result result;
    uint32_t latency[DWCAS_LATENCY_BUCKETS];
};

/* The body of a worker's thread; the argument is its dwcas_worker (worker.c). */
void *dwcas_worker_main(void *argument);

/* Stamps the opening or the closing of the window for one thread (worker.c). */
void dwcas_worker_stamp(struct dwcas_worker *worker, uint32_t phase, uint64_t ops,
                        uint64_t retries);

static inline uint32_t worker_phase(const struct dwcas_worker *worker)
{
    return atomic_load_explicit(&worker->run->phase, memory_order_acquire);
}

static inline void worker_sample(struct dwcas_worker *worker, uint64_t begin, uint64_t end)
{
    if (end <= begin) {
        worker->latency_clipped++;
        return;
    }
    worker->latency[latency_bucket(end - begin)]++;
    if (end - begin > worker->latency_max_ticks)
        worker->latency_max_ticks = end - begin;
}

#endif
