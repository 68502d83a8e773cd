/* SPDX-License-Identifier: MIT */
/* wal/methods/consolidation.h: R13, who would have to wait for the lock joins a slot.
 *
 * A thread that finds the lock free reserves at once. Otherwise it joins one of a few slots
 * by a CAS that adds its size. The first to join leads: it waits for the lock, closes the
 * slot by an exchange, reserves the sum and publishes where it begins. The others take
 * their places from what their CAS saw: the sum before them is their offset, and the size
 * of the record before them, in the same word, gives the prev link. So waiters meet at
 * several slots and the lock sees one thread for each.
 *
 * A slot's word: total in the upper half, size of the last record in the lower, both in
 * units of 8 bytes; 0 = open and empty. The last member to have its place opens the slot
 * again. In the paper a closed slot is replaced by a fresh one of a pool; here who finds
 * one closed tries the lock again, then another slot. The paper's copy into the log buffer is not
 * part of a reservation. Waiters give up the CPU after WAIT_PAUSES looks; a leader that loses its
 * CPU holds up its slot, and all while it has the lock. Source: Johnson, Pandis, Stoica,
 * Athanassoulis and Ailamaki 2010 (Aether), with the buffer filled outside the lock. */
#ifndef DWCAS_WAL_METHODS_CONSOLIDATION_H
#define DWCAS_WAL_METHODS_CONSOLIDATION_H

#include "locks/ttas.h"
#include "wal/methods/define.h"

enum { SLOTS = CHECKED_SIZE(4, 2), UNIT_BITS = 3 };

#define SLOT_CLOSED UINT64_MAX
#define SLOT_MOST (1ull << 31) /* units in one slot: a total never looks like SLOT_CLOSED */
#define SLOT_UNKNOWN UINT64_MAX

struct slot {
    _Alignas(DWCAS_LINE) _Atomic uint64_t word;
    _Alignas(64) _Atomic uint64_t base; /* SLOT_UNKNOWN: not yet reserved */
    uint64_t prev;                      /* of the first record */
    _Atomic uint64_t left;              /* bytes whose threads do not have their place yet */
};

struct consolidation_state {
    _Alignas(DWCAS_LINE) uint64_t tip;
    uint64_t prev;
    ttas_lock lock;
    struct slot slots[SLOTS];
};

static inline void consolidation_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct consolidation_state *state = memory;

    state->tip = tip;
    state->prev = prev;
    ttas_lock_start(&state->lock);
    for (int i = 0; i < SLOTS; i++) {
        atomic_init(&state->slots[i].word, 0);
        atomic_init(&state->slots[i].base, SLOT_UNKNOWN);
    }
}

static inline void consolidation_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct consolidation_state *state = memory;

    *tip = state->tip;
    *prev = state->prev;
}

/* Under the lock: reserves `total` bytes whose last record has `last`; returns {start,
 * prev}. */
typedef dwcas_pair consolidation_move(struct consolidation_state *state, dwcas_thread *thread,
                                      uint64_t total, uint64_t last);

/* Bytes joined so far, and the size of the last record among them. */
static inline uint64_t slot_total(uint64_t word)
{
    return word >> 32 << UNIT_BITS;
}

static inline uint64_t slot_last(uint64_t word)
{
    return (word & UINT32_MAX) << UNIT_BITS;
}

/* Adds a record; false if the slot is closed or full. `before`: the word without it. */
static inline bool slot_join(struct slot *slot, dwcas_thread *thread, uint64_t size,
                             uint64_t *before)
{
    const uint64_t units = size >> UNIT_BITS;

    *before = atomic_load_explicit(&slot->word, memory_order_relaxed);
    for (;;) {
        if (*before == SLOT_CLOSED || (*before >> 32) + units > SLOT_MOST)
            return false;
        /* J1: acquire; pairs with J2: base is that of this round. */
        if (atomic_compare_exchange_weak_explicit(&slot->word, before,
                                                  ((*before >> 32) + units) << 32 | units,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
        thread->retries++;
    }
}

/* The place is known: the last one to say so opens the slot again. */
static inline void slot_leave(struct slot *slot, uint64_t size)
{
    /* J3: release and acquire: whoever is last comes after all reads of base and prev. */
    if (atomic_fetch_sub_explicit(&slot->left, size, memory_order_acq_rel) != size)
        return;
    atomic_store_explicit(&slot->base, SLOT_UNKNOWN, memory_order_relaxed);
    /* J2: release; pairs with J1. */
    atomic_store_explicit(&slot->word, 0, memory_order_release);
}

/* For all in the slot; returns {start, prev} of the first. False if the run was aborted. */
DWCAS_INLINE bool slot_lead(struct consolidation_state *state, dwcas_thread *thread,
                            struct slot *slot, consolidation_move *move, dwcas_pair *at)
{
    uint64_t word;

    if (!ttas_lock_acquire(&state->lock, thread))
        return false;
    word = atomic_exchange_explicit(&slot->word, SLOT_CLOSED, memory_order_relaxed);
    *at = move(state, thread, slot_total(word), slot_last(word));
    ttas_lock_release(&state->lock, thread);
    slot->prev = at->hi;
    atomic_store_explicit(&slot->left, slot_total(word), memory_order_relaxed);
    /* B1: release; pairs with B2. */
    atomic_store_explicit(&slot->base, at->lo, memory_order_release);
    return true;
}

/* For one that is not the first: `before` is what its CAS saw. */
static inline bool slot_follow(struct slot *slot, dwcas_thread *thread, uint64_t before,
                               dwcas_pair *at)
{
    uint32_t spent = 0;
    uint64_t base;

    /* B2: acquire; pairs with B1. */
    while ((base = atomic_load_explicit(&slot->base, memory_order_acquire)) == SLOT_UNKNOWN)
        if (!wait_again(&spent, thread))
            return false;
    at->lo = base + slot_total(before);
    at->hi = at->lo - slot_last(before);
    return true;
}

DWCAS_INLINE dwcas_reservation consolidation_reserve_by(void *memory, dwcas_thread *thread,
                                                        uint64_t size, consolidation_move *move)
{
    const dwcas_reservation aborted = {DWCAS_NOT_RESERVED, 0, 0};
    struct consolidation_state *state = memory;
    struct slot *slot;
    uint64_t before;
    uint32_t spent = 0;
    dwcas_pair at;

    for (;;) {
        if (ttas_lock_try(&state->lock)) {
            at = move(state, thread, size, size);
            ttas_lock_release(&state->lock, thread);
            return (dwcas_reservation){at.lo, at.lo + size, at.hi};
        }
        slot = &state->slots[thread_random(thread) % SLOTS];
        if (slot_join(slot, thread, size, &before))
            break;
        if (!wait_again(&spent, thread))
            return aborted;
    }
    if (before == 0 ? !slot_lead(state, thread, slot, move, &at)
                    : !slot_follow(slot, thread, before, &at))
        return aborted;
    slot_leave(slot, size);
    return (dwcas_reservation){at.lo, at.lo + size, at.hi};
}

#endif
