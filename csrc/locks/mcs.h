/* SPDX-License-Identifier: MIT */
/* locks/mcs.h: a queue of nodes, each thread spinning on its own.
 *
 * Who comes exchanges the tail for its node and, if there was one before, links itself
 * behind it and waits until that one clears its flag. So a release touches one waiter's
 * line, however many wait. The node is the thread's `shared`; it is free again when the
 * release is over. An aborted waiter leaves its node in the queue, and the one before it
 * may still write there: `shared` outlives the threads.
 *
 * First come, first served, with the price named in ticket.h when threads outnumber CPUs;
 * after WAIT_PAUSES looks a waiter gives up the CPU each time.
 * Source: Mellor-Crummey and Scott 1991, algorithm 5. */
#ifndef DWCAS_LOCKS_MCS_H
#define DWCAS_LOCKS_MCS_H

#include "locks/wait.h"

struct mcs_node {
    struct mcs_node *_Atomic next;
    _Atomic bool waits;
};

typedef struct mcs_lock {
    struct mcs_node *_Atomic tail; /* NULL: free */
} mcs_lock;

_Static_assert(sizeof(struct mcs_node) <= sizeof(((dwcas_thread *)0)->shared), "fits the thread");

static inline void mcs_lock_start(mcs_lock *lock)
{
    atomic_init(&lock->tail, NULL);
}

/* Puts the thread's node at the end; returns the one before it. */
static inline struct mcs_node *mcs_enqueue(mcs_lock *lock, struct mcs_node *node)
{
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&node->waits, true, memory_order_relaxed);
    /* M1: acquire, pairs with M2, for who finds the lock free; release, so that who comes
     * next finds `next` empty before it links itself. */
    return atomic_exchange_explicit(&lock->tail, node, memory_order_acq_rel);
}

static inline bool mcs_lock_acquire(mcs_lock *lock, dwcas_thread *thread)
{
    struct mcs_node *node = (struct mcs_node *)thread->shared;
    struct mcs_node *before = mcs_enqueue(lock, node);
    uint32_t spent = 0;

    if (before == NULL)
        return true;
    /* M3: release; pairs with M4: `waits` is set before anybody can clear it. */
    atomic_store_explicit(&before->next, node, memory_order_release);
    /* M5: acquire; pairs with M6. */
    while (atomic_load_explicit(&node->waits, memory_order_acquire))
        if (!wait_again(&spent, thread))
            return false;
    return true;
}

static inline void mcs_lock_release(mcs_lock *lock, dwcas_thread *thread)
{
    struct mcs_node *node = (struct mcs_node *)thread->shared;
    struct mcs_node *last = node;
    struct mcs_node *next = atomic_load_explicit(&node->next, memory_order_acquire); /* M4 */
    uint32_t spent = 0;

    /* M2: release; pairs with M1. */
    if (next == NULL && atomic_compare_exchange_strong_explicit(
                            &lock->tail, &last, NULL, memory_order_release, memory_order_relaxed))
        return;
    /* Somebody has exchanged the tail and is about to link itself: M4, acquire. */
    while (next == NULL) {
        if (!wait_again(&spent, thread))
            return;
        next = atomic_load_explicit(&node->next, memory_order_acquire);
    }
    /* M6: release; pairs with M5. */
    atomic_store_explicit(&next->waits, false, memory_order_release);
}

static inline void mcs_lock_finish(mcs_lock *lock)
{
    (void)lock;
}

#endif
