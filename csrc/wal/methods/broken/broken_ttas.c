/* SPDX-License-Identifier: MIT */
/* Broken: tests the lock and sets it in two steps. Two threads may see it free. */
#include "locks/ttas.h"

#include "wal/methods/broken/gap.h"

#define IN_LOCK gap
#include "wal/methods/locked.h"

#define broken_ttas_lock ttas_lock
#define broken_ttas_lock_start ttas_lock_start
#define broken_ttas_lock_release ttas_lock_release
#define broken_ttas_lock_finish ttas_lock_finish

static inline bool broken_ttas_lock_acquire(ttas_lock *lock, dwcas_thread *thread)
{
    uint32_t spent = 0;

    while (atomic_load(&lock->word) != 0)
        if (!wait_again(&spent, thread))
            return false;
    gap(thread);
    atomic_store(&lock->word, 1);
    return true;
}

DWCAS_DEFINE_LOCKED_METHOD(broken_ttas, .name = "broken-ttas", .kind = DWCAS_KIND_BROKEN,
                           .lock = "ttas", .sleeps = true,
                           .summary = "wrong on purpose: tests, then sets, in two steps",
                           .source = "the textbook race in a lock")
