/* SPDX-License-Identifier: MIT */
/* wal/methods/inserting.h: below which position no thread is at work any more.
 *
 * Each thread says where it may be, on a line of its own: a lower bound of its place before
 * it moves the tip, its place once it knows it, and that it is idle when it is done. Who
 * wants to know reads the tip first and all threads second. A thread that is seen idle and
 * still reserves afterwards moves the tip afterwards, so its place is not below the tip
 * that was read: its bound was stored before its fetch-add (release), which would have shown
 * both.
 * Source: PostgreSQL's insertingAt, per thread instead of per lock; R14 (ERMIA) sets its
 * mark before the fetch-add in the same way. */
#ifndef DWCAS_WAL_METHODS_INSERTING_H
#define DWCAS_WAL_METHODS_INSERTING_H

#include "locks/wait.h"
#include "wal/methods/define.h"

#define INSERTING_NOWHERE 0ull

/* The most threads of a run (wal_bench.engine). */
enum { INSERTING_THREADS = CHECKED_SIZE(16384, 3) };

struct inserting {
    _Alignas(DWCAS_LINE) _Atomic uint32_t threads; /* how many have a place below */
    struct {
        _Alignas(64) _Atomic uint64_t at;
    } of[INSERTING_THREADS];
};

/* What a thread keeps. */
struct inserting_own {
    _Atomic uint64_t *at; /* NULL: has no place yet */
    uint64_t reached;     /* the end of the last record: the next starts no earlier */
    uint64_t all_done;    /* below this nobody was at work */
};

_Static_assert(sizeof(struct inserting_own) <= sizeof(((dwcas_thread *)0)->own), "fits");

static inline struct inserting_own *inserting_own(dwcas_thread *thread)
{
    return (struct inserting_own *)thread->own;
}

/* A thread's first time; false if there are too many. `origin`: where the log began. */
static inline bool inserting_join(struct inserting *all, struct inserting_own *own,
                                  uint64_t origin)
{
    const uint32_t index = atomic_fetch_add(&all->threads, 1);

    if (index >= INSERTING_THREADS)
        return false;
    own->at = &all->of[index].at;
    own->reached = own->all_done = origin;
    return true;
}

/* Before the fetch-add. */
DWCAS_INLINE bool inserting_enter(struct inserting *all, dwcas_thread *thread, uint64_t origin)
{
    struct inserting_own *own = inserting_own(thread);

    if (__builtin_expect(own->at == NULL, 0) && !inserting_join(all, own, origin))
        return false;
    atomic_store_explicit(own->at, own->reached, memory_order_relaxed);
    return true;
}

/* I1: release, after all that was done below; pairs with I2. */
DWCAS_INLINE void inserting_at(dwcas_thread *thread, uint64_t position)
{
    atomic_store_explicit(inserting_own(thread)->at, position, memory_order_release);
}

DWCAS_INLINE void inserting_leave(dwcas_thread *thread, uint64_t end)
{
    inserting_own(thread)->reached = end;
    inserting_at(thread, INSERTING_NOWHERE);
}

/* The lowest place where a thread may be, at most the tip. */
static inline uint64_t inserting_lowest(struct inserting *all, const _Atomic uint64_t *tip)
{
    uint64_t lowest = atomic_load_explicit(tip, memory_order_acquire);
    const uint32_t threads = atomic_load_explicit(&all->threads, memory_order_acquire);

    for (uint32_t i = 0; i < threads && i < INSERTING_THREADS; i++) {
        /* I2: acquire; pairs with I1. */
        const uint64_t at = atomic_load_explicit(&all->of[i].at, memory_order_acquire);

        if (at != INSERTING_NOWHERE && at < lowest)
            lowest = at;
    }
    return lowest;
}

/* Waits until nobody is at work `distance` or more below `position`; false if the run was
 * aborted. The answer of the last time will do as long as it is high enough. */
DWCAS_INLINE bool inserting_wait(struct inserting *all, dwcas_thread *thread,
                                 const _Atomic uint64_t *tip, uint64_t position, uint64_t distance)
{
    struct inserting_own *own = inserting_own(thread);
    uint32_t spins = 0;

    while (__builtin_expect(position - own->all_done >= distance, 0)) {
        own->all_done = inserting_lowest(all, tip);
        if (position - own->all_done < distance)
            break;
        if (!wait_again(&spins, thread))
            return false;
    }
    return true;
}

#endif
