/* SPDX-License-Identifier: MIT */
/* Broken: takes the lock of its cohort and forgets the global one. */
#include "locks/cohort.h"

#include "wal/methods/broken/gap.h"

#define IN_LOCK gap
#include "wal/methods/locked.h"

#define broken_cohort_lock cohort_lock
#define broken_cohort_lock_start cohort_lock_start
#define broken_cohort_lock_finish cohort_lock_finish

static inline bool broken_cohort_lock_acquire(cohort_lock *lock, dwcas_thread *thread)
{
    return ticket_lock_acquire(&cohort_choose(lock, thread)->lock, thread);
}

static inline void broken_cohort_lock_release(cohort_lock *lock, dwcas_thread *thread)
{
    ticket_lock_release(&cohort_chosen(lock, thread)->lock, thread);
}

DWCAS_DEFINE_LOCKED_METHOD(broken_cohort, .name = "broken-cohort", .kind = DWCAS_KIND_BROKEN,
                           .lock = "cohort", .sleeps = true,
                           .summary = "wrong on purpose: takes the lock of its cohort alone",
                           .source = "a cohort lock without the global one")
