/* SPDX-License-Identifier: MIT */
/* locks/ttas.h: test-and-test-and-set with exponential backoff.
 *
 * Who finds the lock taken, or loses the race for it, waits a random number of hints below
 * a limit that doubles up to TTAS_MOST, then looks again; after WAIT_PAUSES hints in all it
 * gives up the CPU each time. Not fair: whoever looks at the right moment gets it.
 * Source: Anderson 1990; Mellor-Crummey and Scott 1991, section 2.1. */
#ifndef DWCAS_LOCKS_TTAS_H
#define DWCAS_LOCKS_TTAS_H

#include "locks/wait.h"

enum { TTAS_LEAST = 4, TTAS_MOST = 64 };

typedef struct ttas_lock {
    _Atomic uint32_t word; /* 0 free, 1 taken */
} ttas_lock;

static inline void ttas_lock_start(ttas_lock *lock)
{
    atomic_init(&lock->word, 0);
}

static inline bool ttas_lock_try(ttas_lock *lock)
{
    /* T1: acquire; pairs with T2. */
    return atomic_load_explicit(&lock->word, memory_order_relaxed) == 0 &&
           atomic_exchange_explicit(&lock->word, 1, memory_order_acquire) == 0;
}

static inline bool ttas_lock_acquire(ttas_lock *lock, dwcas_thread *thread)
{
    uint32_t limit = TTAS_LEAST, spent = 0;

    while (!ttas_lock_try(lock)) {
        if (!wait_pausing(&spent, (uint32_t)(thread_random(thread) % limit) + 1, thread))
            return false;
        if (limit < TTAS_MOST)
            limit *= 2;
    }
    return true;
}

static inline void ttas_lock_release(ttas_lock *lock, dwcas_thread *thread)
{
    (void)thread;
    /* T2: release; pairs with T1. */
    atomic_store_explicit(&lock->word, 0, memory_order_release);
}

static inline void ttas_lock_finish(ttas_lock *lock)
{
    (void)lock;
}

#endif
