/* SPDX-License-Identifier: MIT */
/* Broken: takes its place in the queue and does not wait for the one before. */
#include "locks/mcs.h"

#include "wal/methods/broken/gap.h"

#define IN_LOCK gap
#include "wal/methods/locked.h"

#define broken_mcs_lock mcs_lock
#define broken_mcs_lock_start mcs_lock_start
#define broken_mcs_lock_release mcs_lock_release
#define broken_mcs_lock_finish mcs_lock_finish

static inline bool broken_mcs_lock_acquire(mcs_lock *lock, dwcas_thread *thread)
{
    struct mcs_node *node = (struct mcs_node *)thread->shared;
    struct mcs_node *before = mcs_enqueue(lock, node);

    if (before != NULL)
        atomic_store(&before->next, node);
    return true;
}

DWCAS_DEFINE_LOCKED_METHOD(broken_mcs, .name = "broken-mcs", .kind = DWCAS_KIND_BROKEN,
                           .lock = "mcs", .sleeps = true,
                           .summary = "wrong on purpose: queues, and does not wait",
                           .source = "an MCS lock without its wait")
