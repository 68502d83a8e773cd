/* SPDX-License-Identifier: MIT */
/* wal/gate.h: the insertion locks, of which an inserter takes one and a switch takes all. */
#ifndef DWCAS_WAL_GATE_H
#define DWCAS_WAL_GATE_H

#include "wal/insertion.h"

/* NO_GATE: the run was aborted. */
static inline uint32_t gate_enter(struct dwcas_insert *path, struct inserter *inserter,
                                  dwcas_thread *thread)
{
    const uint32_t gate = inserter->gate;
    futex_lock *lock = &path->slots[gate].gate;

    if (futex_try(lock))
        return gate;
    /* Another one next time: PostgreSQL's way to spread inserters over the gates. */
    inserter->gate = (gate + 1) & (path->plan.gates - 1);
    inserter->gate_waits++;
    return futex_lock_acquire(lock, thread) ? gate : NO_GATE;
}

static inline bool gates_enter_all(struct dwcas_insert *path, dwcas_thread *thread)
{
    for (uint32_t i = 0; i < path->plan.gates; i++)
        if (!futex_lock_acquire(&path->slots[i].gate, thread)) {
            while (i-- > 0)
                futex_lock_release(&path->slots[i].gate, thread);
            return false;
        }
    return true;
}

static inline void gates_leave_all(struct dwcas_insert *path, dwcas_thread *thread)
{
    for (uint32_t i = 0; i < path->plan.gates; i++)
        futex_lock_release(&path->slots[i].gate, thread);
}

#endif
