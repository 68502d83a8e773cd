/* SPDX-License-Identifier: MIT */
/* wal/methods/flat_combining.h: who gets the lock reserves for everybody.
 *
 * Each thread has a record on a list and asks by writing its size there. Whoever finds the
 * lock free takes it, goes through the list once and serves every request, its own among
 * them. The words move from request to request inside one CPU; what crosses between CPUs is
 * one line there and back per request, however many wait.
 *
 * A record is put on the list at its thread's first request and stays: all threads of a run
 * reserve until its end. (In the paper, records that were idle for long are taken off.)
 * Records lie in `shared`, where they outlive their threads. A waiter gives up the CPU
 * after WAIT_PAUSES looks; a combiner that loses its CPU holds up all.
 * Source: Hendler, Incze, Shavit and Tzafrir 2010. */
#ifndef DWCAS_WAL_METHODS_FLAT_COMBINING_H
#define DWCAS_WAL_METHODS_FLAT_COMBINING_H

#include "locks/ttas.h"
#include "wal/methods/define.h"

struct combining_record {
    _Atomic uint64_t request; /* the size asked for; 0: none, or served */
    uint64_t start;           /* the answer, valid once request is 0 again */
    uint64_t prev;
    struct combining_record *next;
    bool listed; /* its own thread's affair */
};

_Static_assert(sizeof(struct combining_record) <= sizeof(((dwcas_thread *)0)->shared),
               "fits the thread");

struct flat_combining_state {
    _Alignas(DWCAS_LINE) uint64_t tip;
    uint64_t prev;
    ttas_lock lock;
    /* On a line of its own: read by combiners, written once per thread. */
    _Alignas(DWCAS_LINE) struct combining_record *_Atomic head;
};

static inline void flat_combining_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct flat_combining_state *state = memory;

    state->tip = tip;
    state->prev = prev;
    ttas_lock_start(&state->lock);
    atomic_init(&state->head, NULL);
}

static inline void combining_enlist(struct flat_combining_state *state,
                                    struct combining_record *record)
{
    record->next = atomic_load_explicit(&state->head, memory_order_relaxed);
    /* L1: release; pairs with L2. */
    while (!atomic_compare_exchange_weak_explicit(&state->head, &record->next, record,
                                                  memory_order_release, memory_order_relaxed)) {
    }
    record->listed = true;
}

/* By the holder of the lock, for any record on the list. */
typedef void combining_serve(struct flat_combining_state *state, struct combining_record *record,
                             uint64_t size, dwcas_thread *thread);

DWCAS_INLINE dwcas_reservation flat_combining_reserve_by(void *memory, dwcas_thread *thread,
                                                         uint64_t size, combining_serve *serve)
{
    struct flat_combining_state *state = memory;
    struct combining_record *own = (struct combining_record *)thread->shared;
    uint32_t spent = 0;

    /* R1: release; pairs with R2, so that the combiner's answer comes after the one before
     * was read. */
    atomic_store_explicit(&own->request, size, memory_order_release);
    if (!own->listed)
        combining_enlist(state, own);
    /* A1: acquire; pairs with A2. */
    while (atomic_load_explicit(&own->request, memory_order_acquire) != 0) {
        if (!ttas_lock_try(&state->lock)) {
            if (!wait_again(&spent, thread))
                return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
            continue;
        }
        /* L2: acquire; pairs with L1. */
        for (struct combining_record *record =
                 atomic_load_explicit(&state->head, memory_order_acquire);
             record != NULL; record = record->next) {
            /* R2: acquire; pairs with R1. */
            const uint64_t asked = atomic_load_explicit(&record->request, memory_order_acquire);

            if (asked == 0)
                continue;
            serve(state, record, asked, thread);
            /* A2: release; pairs with A1. */
            atomic_store_explicit(&record->request, 0, memory_order_release);
        }
        ttas_lock_release(&state->lock, thread);
    }
    return (dwcas_reservation){own->start, own->start + size, own->prev};
}

static inline void flat_combining_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct flat_combining_state *state = memory;

    *tip = state->tip;
    *prev = state->prev;
}

#endif
