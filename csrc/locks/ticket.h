/* SPDX-License-Identifier: MIT */
/* locks/ticket.h: draw a number, wait until it is served. First come, first served.
 *
 * Backoff is proportional: who has n before it looks again after n times TICKET_PAUSES
 * hints; after WAIT_PAUSES hints it gives up the CPU each time. The order is fixed when the
 * number is drawn, so with more threads than CPUs nearly every hand-off waits until the
 * scheduler gets to the one thread whose turn it is.
 * Source: Mellor-Crummey and Scott 1991, section 2.2. */
#ifndef DWCAS_LOCKS_TICKET_H
#define DWCAS_LOCKS_TICKET_H

#include "locks/wait.h"

enum { TICKET_PAUSES = 4 };

typedef struct ticket_lock {
    _Atomic uint32_t next;    /* number of the next to come */
    _Atomic uint32_t serving; /* number whose turn it is; wraps like next */
} ticket_lock;

static inline void ticket_lock_start(ticket_lock *lock)
{
    atomic_init(&lock->next, 0);
    atomic_init(&lock->serving, 0);
}

static inline bool ticket_lock_acquire(ticket_lock *lock, dwcas_thread *thread)
{
    const uint32_t number = atomic_fetch_add_explicit(&lock->next, 1, memory_order_relaxed);
    uint32_t spent = 0, before;

    /* K1: acquire; pairs with K2. */
    while ((before = number - atomic_load_explicit(&lock->serving, memory_order_acquire)) != 0)
        if (!wait_pausing(&spent, before * TICKET_PAUSES, thread))
            return false;
    return true;
}

/* Whether somebody waits; asked by the holder. */
static inline bool ticket_wanted(ticket_lock *lock)
{
    return atomic_load_explicit(&lock->next, memory_order_relaxed) -
               atomic_load_explicit(&lock->serving, memory_order_relaxed) >
           1;
}

static inline void ticket_lock_release(ticket_lock *lock, dwcas_thread *thread)
{
    (void)thread;
    /* Only the holder writes it, so no atomic addition is needed. K2: release; pairs with
     * K1. */
    atomic_store_explicit(&lock->serving,
                          atomic_load_explicit(&lock->serving, memory_order_relaxed) + 1,
                          memory_order_release);
}

static inline void ticket_lock_finish(ticket_lock *lock)
{
    (void)lock;
}

#endif
