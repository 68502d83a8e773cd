/* SPDX-License-Identifier: MIT */
/* locks/clh.h: a queue in which each thread spins on the node of the one before it.
 *
 * Who comes marks its node busy, exchanges the tail for it and waits until the node it got
 * is no longer busy. Who leaves clears its own node and keeps the other: the successor
 * still looks at the old one, but nobody looks at that of the predecessor any more. So
 * nodes wander between threads, which is why they lie in `shared`, where they outlive
 * them. In the paper the lock begins with a node that is free; here it begins without, and
 * whoever comes first has a second node to go on with.
 *
 * First come, first served, with the price named in ticket.h when threads outnumber CPUs;
 * after WAIT_PAUSES looks a waiter gives up the CPU each time.
 * Source: Craig 1993; Magnusson, Landin and Hagersten 1994. */
#ifndef DWCAS_LOCKS_CLH_H
#define DWCAS_LOCKS_CLH_H

#include "locks/wait.h"

struct clh_node {
    _Alignas(64) _Atomic bool busy;
};

typedef struct clh_lock {
    struct clh_node *_Atomic tail; /* NULL: nobody was here yet */
} clh_lock;

struct clh_own {
    struct clh_node *mine;   /* NULL: not yet used */
    struct clh_node *before; /* while holding the lock: kept at the release */
};

_Static_assert(2 * sizeof(struct clh_node) <= sizeof(((dwcas_thread *)0)->shared), "two fit");
_Static_assert(sizeof(struct clh_own) <= sizeof(((dwcas_thread *)0)->own), "fits the thread");

static inline void clh_lock_start(clh_lock *lock)
{
    atomic_init(&lock->tail, NULL);
}

static inline bool clh_lock_acquire(clh_lock *lock, dwcas_thread *thread)
{
    struct clh_own *own = (struct clh_own *)thread->own;
    struct clh_node *nodes = (struct clh_node *)thread->shared;
    uint32_t spent = 0;

    if (own->mine == NULL)
        own->mine = &nodes[0];
    atomic_store_explicit(&own->mine->busy, true, memory_order_relaxed);
    /* C1: release, so that whoever gets the node finds it busy; acquire, so that the node
     * got is seen busy, or free by C3. */
    own->before = atomic_exchange_explicit(&lock->tail, own->mine, memory_order_acq_rel);
    if (own->before == NULL) {
        own->before = &nodes[1];
        return true;
    }
    /* C2: acquire; pairs with C3. */
    while (atomic_load_explicit(&own->before->busy, memory_order_acquire))
        if (!wait_again(&spent, thread))
            return false;
    return true;
}

static inline void clh_lock_release(clh_lock *lock, dwcas_thread *thread)
{
    struct clh_own *own = (struct clh_own *)thread->own;

    (void)lock;
    /* C3: release; pairs with C2. */
    atomic_store_explicit(&own->mine->busy, false, memory_order_release);
    own->mine = own->before;
}

static inline void clh_lock_finish(clh_lock *lock)
{
    (void)lock;
}

#endif
