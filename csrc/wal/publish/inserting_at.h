/* SPDX-License-Identifier: MIT */
/* wal/publish/inserting_at.h: a slot says where its inserter may be at work.
 *
 * While it inserts, `at` is a position below which it has nothing unfinished: before it has
 * reserved, where the last record of the slot ended. Who wants to know asks every slot.
 *
 * Two passes. The highest position known to be reserved comes first, an end or, of a record
 * longer than the ring, how far its copy has got. Whatever lies below it was reserved before,
 * so that record's `at` was stored before (E1, then the reservations in their order, then E2),
 * and the second pass sees it, or something later from that slot. */
#ifndef DWCAS_WAL_PUBLISH_INSERTING_AT_H
#define DWCAS_WAL_PUBLISH_INSERTING_AT_H

#include "wal/publish/publish.h"

#define INSERTING_NOWHERE UINT64_MAX

struct inserting_at {
    _Alignas(DWCAS_LINE) _Atomic uint64_t known; /* the highest answer so far */
    struct dwcas_slot *slots;
    uint32_t count;
};

static inline void inserting_at_start(void *memory, uint64_t tip, struct dwcas_slot *slots,
                                      uint32_t count)
{
    struct inserting_at *state = memory;

    state->slots = slots;
    state->count = count;
    atomic_init(&state->known, tip);
    for (uint32_t i = 0; i < count; i++)
        atomic_init(&slots[i].at, INSERTING_NOWHERE);
}

/* E1: release, as it also says that what was here before is complete; pairs with E3. */
static inline void inserting_at_enter(void *memory, struct dwcas_slot *slot)
{
    (void)memory;
    atomic_store_explicit(&slot->at, atomic_load_explicit(&slot->reached, memory_order_relaxed),
                          memory_order_release);
}

/* Release: the bytes below; pairs with E3. */
static inline bool inserting_at_part(void *memory, dwcas_thread *thread, struct dwcas_slot *slot,
                                     uint64_t from, uint64_t to)
{
    (void)memory, (void)thread, (void)from;
    atomic_store_explicit(&slot->at, to, memory_order_release);
    return true;
}

/* `reached` was stored before (E2, release). */
static inline void inserting_at_leave(void *memory, struct dwcas_slot *slot)
{
    (void)memory;
    atomic_store_explicit(&slot->at, INSERTING_NOWHERE, memory_order_release);
}

/* The highest position that the slot knows to be reserved. */
static inline uint64_t inserting_at_knows(const struct dwcas_slot *slot)
{
    /* Acquire; pairs with E2. */
    const uint64_t reached = atomic_load_explicit(&slot->reached, memory_order_acquire);
    const uint64_t at = atomic_load_explicit(&slot->at, memory_order_acquire);

    return at != INSERTING_NOWHERE && at > reached ? at : reached;
}

static inline uint64_t inserting_at_scan(const struct inserting_at *state)
{
    uint64_t lowest = 0;

    for (uint32_t i = 0; i < state->count; i++) {
        const uint64_t known = inserting_at_knows(&state->slots[i]);

        if (known > lowest)
            lowest = known;
    }
    for (uint32_t i = 0; i < state->count; i++) {
        /* E3: acquire; pairs with E1 and the later stores. */
        const uint64_t at = atomic_load_explicit(&state->slots[i].at, memory_order_acquire);

        if (at < lowest)
            lowest = at;
    }
    return lowest;
}

/* A slot that begins anew has an old bound, so a scan may say less than one before it. */
static inline uint64_t inserting_at_watermark(void *memory)
{
    struct inserting_at *state = memory;

    return publish_raise(&state->known, inserting_at_scan(state));
}

#endif
