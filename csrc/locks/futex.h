/* SPDX-License-Identifier: MIT */
/* locks/futex.h: a mutex of one word; who finds it taken sleeps in the kernel at once.
 *
 * The word says whether anybody may be asleep, so that a release without waiters needs no
 * system call. Who has slept takes the lock as "taken, with sleepers", as it cannot know
 * whether it was the last: at worst one wake-up too many.
 * Source: Drepper, "Futexes are tricky", mutex 3; its decrement and store at the release
 * are one exchange here. */
#ifndef DWCAS_LOCKS_FUTEX_H
#define DWCAS_LOCKS_FUTEX_H

#include "locks/sleep.h"
#include "locks/wait.h"

enum { FUTEX_FREE, FUTEX_TAKEN, FUTEX_SLEEPERS };

typedef struct futex_lock {
    _Atomic uint32_t word;
} futex_lock;

static inline void futex_lock_start(futex_lock *lock)
{
    atomic_init(&lock->word, FUTEX_FREE);
}

static inline bool futex_try(futex_lock *lock)
{
    uint32_t expected = FUTEX_FREE;

    /* F1: acquire; pairs with F2. */
    return atomic_compare_exchange_strong_explicit(&lock->word, &expected, FUTEX_TAKEN,
                                                   memory_order_acquire, memory_order_relaxed);
}

static inline bool futex_lock_acquire(futex_lock *lock, dwcas_thread *thread)
{
    if (futex_try(lock))
        return true;
    /* F1, too. */
    while (atomic_exchange_explicit(&lock->word, FUTEX_SLEEPERS, memory_order_acquire) !=
           FUTEX_FREE) {
        sleep_on(&lock->word, FUTEX_SLEEPERS);
        if (wait_aborted(thread))
            return false;
    }
    return true;
}

static inline void futex_lock_release(futex_lock *lock, dwcas_thread *thread)
{
    (void)thread;
    /* F2: release; pairs with F1. */
    if (atomic_exchange_explicit(&lock->word, FUTEX_FREE, memory_order_release) == FUTEX_SLEEPERS)
        sleep_wake(&lock->word);
}

/* Takes it, or sleeps until it is free again and returns false: whoever had it may have done
 * what it was wanted for (PostgreSQL's LWLockAcquireOrWait). futex_lock_release_to_all must
 * end it then, as those who sleep here do not pass a wake-up on. */
static inline bool futex_lock_or_wait(futex_lock *lock)
{
    uint32_t taken = FUTEX_TAKEN;

    if (futex_try(lock))
        return true;
    if (atomic_compare_exchange_strong_explicit(&lock->word, &taken, FUTEX_SLEEPERS,
                                                memory_order_relaxed, memory_order_relaxed) ||
        taken == FUTEX_SLEEPERS)
        sleep_on(&lock->word, FUTEX_SLEEPERS);
    return false;
}

static inline void futex_lock_release_to_all(futex_lock *lock)
{
    /* F2, too. */
    if (atomic_exchange_explicit(&lock->word, FUTEX_FREE, memory_order_release) == FUTEX_SLEEPERS)
        sleep_wake_all(&lock->word);
}

static inline void futex_lock_finish(futex_lock *lock)
{
    (void)lock;
}

#endif
