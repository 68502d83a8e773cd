/* SPDX-License-Identifier: MIT */
/* locks/spin.h: PostgreSQL's spinlock, test-and-set with its adaptive delays.
 *
 * Fast path: one exchange. Contended: spin `spins_per_delay` times, then sleep 1 ms,
 * growing by a random factor of 1 to 2 up to 1 s and starting over from 1 ms. Who never
 * had to sleep raises its spin count by 100, who had to lowers it by 1, within 10 and
 * 1000: a guess at whether the machine has more than one CPU. PostgreSQL panics after
 * 1000 delays (two minutes and more); here the engine's watchdog is earlier.
 *
 * Once it waits (TAS_SPIN), x86-64 tests before it sets; arm64 sets blindly in PostgreSQL
 * 14 to 17 and tests first from 18 on (commit 3d0b4b1068). spin18.h is the latter.
 * Source: PostgreSQL 15, s_lock.h and s_lock.c: constants and policy. */
#ifndef DWCAS_LOCKS_SPIN_H
#define DWCAS_LOCKS_SPIN_H

#include "locks/wait.h"

enum {
    SPIN_MIN_SPINS = CHECKED_SIZE(10, 1),
    SPIN_MAX_SPINS = CHECKED_SIZE(1000, 3),
    SPIN_DEFAULT_SPINS = CHECKED_SIZE(100, 2),
    SPIN_MIN_DELAY_US = 1000,
    SPIN_MAX_DELAY_US = CHECKED_SIZE(1000000, 2000),
};

typedef struct spin_lock {
    uint8_t word; /* 0 free, 1 taken */
} spin_lock;

/* What PostgreSQL keeps per process. */
struct spin_own {
    uint32_t spins_per_delay; /* 0: not yet used */
};

_Static_assert(sizeof(struct spin_own) <= sizeof(((dwcas_thread *)0)->own), "fits the thread");

static inline bool spin_try(spin_lock *lock)
{
    /* S1: acquire; pairs with S2. */
    return __atomic_exchange_n(&lock->word, 1, __ATOMIC_ACQUIRE) == 0;
}

#if defined(__x86_64__)
enum { SPIN_TESTS_FIRST = true };
#else
enum { SPIN_TESTS_FIRST = false };
#endif

static inline bool spin_try_waiting(spin_lock *lock, bool test_first)
{
    if (test_first && __atomic_load_n(&lock->word, __ATOMIC_RELAXED) != 0)
        return false;
    return spin_try(lock);
}

static inline uint64_t spin_next_delay_us(uint64_t delay_us, dwcas_thread *thread)
{
    const double fraction = (double)(thread_random(thread) >> 11) * 0x1p-53;

    delay_us += (uint64_t)((double)delay_us * fraction + 0.5);
    return delay_us > SPIN_MAX_DELAY_US ? SPIN_MIN_DELAY_US : delay_us;
}

/* The slow path, out of line as in PostgreSQL; false if the run was aborted. */
static __attribute__((noinline, unused)) bool spin_wait(spin_lock *lock, dwcas_thread *thread,
                                                        bool test_first)
{
    struct spin_own *own = (struct spin_own *)thread->own;
    uint64_t delay_us = 0;
    uint32_t spins = 0;

    if (own->spins_per_delay == 0)
        own->spins_per_delay = SPIN_DEFAULT_SPINS;
    while (!spin_try_waiting(lock, test_first)) {
        cpu_relax();
        if (++spins < own->spins_per_delay)
            continue;
        if (wait_aborted(thread))
            return false;
        if (delay_us == 0)
            delay_us = SPIN_MIN_DELAY_US;
        give_up_us(delay_us);
        delay_us = spin_next_delay_us(delay_us, thread);
        spins = 0;
    }
    if (delay_us == 0) {
        if (own->spins_per_delay < SPIN_MAX_SPINS)
            own->spins_per_delay = own->spins_per_delay + 100 < SPIN_MAX_SPINS
                                       ? own->spins_per_delay + 100
                                       : SPIN_MAX_SPINS;
    } else if (own->spins_per_delay > SPIN_MIN_SPINS) {
        own->spins_per_delay--;
    }
    return true;
}

static inline void spin_lock_start(spin_lock *lock)
{
    lock->word = 0;
}

static inline bool spin_lock_acquire(spin_lock *lock, dwcas_thread *thread)
{
    return spin_try(lock) || spin_wait(lock, thread, SPIN_TESTS_FIRST);
}

static inline void spin_lock_release(spin_lock *lock, dwcas_thread *thread)
{
    (void)thread;
    /* S2: release; pairs with S1. */
    __atomic_store_n(&lock->word, 0, __ATOMIC_RELEASE);
}

static inline void spin_lock_finish(spin_lock *lock)
{
    (void)lock;
}

#endif
