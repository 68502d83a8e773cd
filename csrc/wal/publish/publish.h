/* SPDX-License-Identifier: MIT */
/* wal/publish/publish.h: what the ways to publish (dwcas/insert.h) are made of. */
#ifndef DWCAS_WAL_PUBLISH_PUBLISH_H
#define DWCAS_WAL_PUBLISH_PUBLISH_H

#include "dwcas/insert.h"
#include "engine/worker.h"
#include "locks/futex.h"
#include "locks/wait.h"

/* As in PostgreSQL's WALInsertLockPadded, the lock and what is said under it share a line. */
struct dwcas_slot {
    _Alignas(DWCAS_LINE) futex_lock gate;
    /* Where the last record inserted here ended: the next one starts no earlier. */
    _Atomic uint64_t reached;
    /* inserting-at's */
    _Atomic uint64_t at;
};

/* Raises a word that only grows, and returns it. Release: what the value says was seen by
 * this thread; pairs with the acquire of whoever reads it. */
static inline uint64_t publish_raise(_Atomic uint64_t *word, uint64_t value)
{
    uint64_t seen = atomic_load_explicit(word, memory_order_acquire);

    while (seen < value)
        if (atomic_compare_exchange_weak_explicit(word, &seen, value, memory_order_acq_rel,
                                                  memory_order_acquire))
            return value;
    return seen;
}

static inline void publish_no_enter(void *state, struct dwcas_slot *slot)
{
    (void)state, (void)slot;
}

#define publish_no_leave publish_no_enter

#endif
