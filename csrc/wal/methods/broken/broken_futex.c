/* SPDX-License-Identifier: MIT */
/* Broken: takes a wake-up for the lock. Who was woken has to try again: another may be faster. */
#include "locks/futex.h"

#include "wal/methods/broken/gap.h"

#define IN_LOCK gap
#include "wal/methods/locked.h"

#define broken_futex_lock futex_lock
#define broken_futex_lock_start futex_lock_start
#define broken_futex_lock_release futex_lock_release
#define broken_futex_lock_finish futex_lock_finish

static inline bool broken_futex_lock_acquire(futex_lock *lock, dwcas_thread *thread)
{
    (void)thread;
    if (!futex_try(lock) && atomic_exchange(&lock->word, FUTEX_SLEEPERS) != FUTEX_FREE)
        sleep_on(&lock->word, FUTEX_SLEEPERS);
    return true;
}

DWCAS_DEFINE_LOCKED_METHOD(broken_futex, .name = "broken-futex", .kind = DWCAS_KIND_BROKEN,
                           .lock = "futex", .sleeps = true,
                           .summary = "wrong on purpose: takes a wake-up for the lock",
                           .source = "a futex wait that is not repeated")
