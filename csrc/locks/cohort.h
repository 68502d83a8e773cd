/* SPDX-License-Identifier: MIT */
/* locks/cohort.h: a lock per NUMA node and one over them, handed on within a node first.
 *
 * To hold the lock is to hold the global one and that of one's node. Who leaves and sees
 * somebody wait at its node hands both on by releasing the local lock alone, at most
 * COHORT_HANDOFFS times in a row, so that other nodes get their turn. The global lock may
 * thus be released by another thread than took it, which a ticket lock allows (paper:
 * C-TKT-TKT).
 *
 * On a machine with one node there is nothing near to prefer. Threads then form two
 * cohorts by lot: the algorithm runs, its overhead shows, its gain cannot. Waiters spin and
 * give up the CPU as in ticket.h, and the same is true of threads that outnumber CPUs.
 * Source: Dice, Marathe and Shavit 2012, "Lock Cohorting". */
#ifndef DWCAS_LOCKS_COHORT_H
#define DWCAS_LOCKS_COHORT_H

#include "locks/place.h"
#include "locks/ticket.h"

enum {
    /* Nodes beyond share one, which is right, only less local. */
    COHORTS = CHECKED_SIZE(16, 2),
    /* Our choice; without a bound other nodes would starve. */
    COHORT_HANDOFFS = CHECKED_SIZE(64, 1),
    COHORT_APART = 128, /* bytes between what different nodes write */
};

struct cohort_local {
    unsigned char apart[COHORT_APART];
    ticket_lock lock;
    /* Guarded by lock. */
    bool has_global;
    uint32_t handoffs; /* in a row */
};

typedef struct cohort_lock {
    ticket_lock global;
    bool by_node;
    struct cohort_local locals[COHORTS];
} cohort_lock;

struct cohort_own {
    struct place place;
    uint32_t cohort; /* 0: not yet drawn; else 1 + index in locals */
};

_Static_assert(sizeof(struct cohort_own) <= sizeof(((dwcas_thread *)0)->own), "fits the thread");

static inline void cohort_lock_start(cohort_lock *lock)
{
    ticket_lock_start(&lock->global);
    lock->by_node = place_nodes_differ();
    for (int i = 0; i < COHORTS; i++) {
        ticket_lock_start(&lock->locals[i].lock);
        lock->locals[i].has_global = false;
        lock->locals[i].handoffs = 0;
    }
}

/* That of the thread from now to the next call. */
static inline struct cohort_local *cohort_choose(cohort_lock *lock, dwcas_thread *thread)
{
    struct cohort_own *own = (struct cohort_own *)thread->own;

    if (lock->by_node)
        own->cohort = 1 + place_node(&own->place) % COHORTS;
    else if (own->cohort == 0)
        own->cohort = 1 + thread_random(thread) % 2;
    return &lock->locals[own->cohort - 1];
}

static inline struct cohort_local *cohort_chosen(cohort_lock *lock, const dwcas_thread *thread)
{
    return &lock->locals[((const struct cohort_own *)thread->own)->cohort - 1];
}

static inline bool cohort_lock_acquire(cohort_lock *lock, dwcas_thread *thread)
{
    struct cohort_local *local = cohort_choose(lock, thread);

    if (!ticket_lock_acquire(&local->lock, thread))
        return false;
    if (!local->has_global && !ticket_lock_acquire(&lock->global, thread))
        return false;
    local->has_global = true;
    return true;
}

static inline void cohort_lock_release(cohort_lock *lock, dwcas_thread *thread)
{
    struct cohort_local *local = cohort_chosen(lock, thread);

    if (local->handoffs < COHORT_HANDOFFS && ticket_wanted(&local->lock)) {
        local->handoffs++;
    } else {
        local->handoffs = 0;
        local->has_global = false;
        ticket_lock_release(&lock->global, thread);
    }
    ticket_lock_release(&local->lock, thread);
}

static inline void cohort_lock_finish(cohort_lock *lock)
{
    (void)lock;
}

#endif
