/* SPDX-License-Identifier: MIT */
/* Broken: enters when one is still before it, an off-by-one in the comparison. */
#include "locks/ticket.h"

#include "wal/methods/broken/gap.h"

#define IN_LOCK gap
#include "wal/methods/locked.h"

#define broken_ticket_lock ticket_lock
#define broken_ticket_lock_start ticket_lock_start
#define broken_ticket_lock_finish ticket_lock_finish

static inline bool broken_ticket_lock_acquire(ticket_lock *lock, dwcas_thread *thread)
{
    const uint32_t number = atomic_fetch_add(&lock->next, 1);
    uint32_t spent = 0;

    while ((int32_t)(number - atomic_load(&lock->serving)) > 1)
        if (!wait_again(&spent, thread))
            return false;
    return true;
}

/* Atomic, as there may be two holders: a lost step would hang and not show as a fault. */
static inline void broken_ticket_lock_release(ticket_lock *lock, dwcas_thread *thread)
{
    (void)thread;
    atomic_fetch_add(&lock->serving, 1);
}

DWCAS_DEFINE_LOCKED_METHOD(broken_ticket, .name = "broken-ticket", .kind = DWCAS_KIND_BROKEN,
                           .lock = "ticket", .sleeps = true,
                           .summary = "wrong on purpose: enters with one still before it",
                           .source = "off by one in a ticket lock")
