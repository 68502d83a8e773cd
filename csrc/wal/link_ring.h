/* SPDX-License-Identifier: MIT */
/* wal/link_ring.h: links by position, and a tail that follows them (InnoDB's way).
 *
 * The slot of position p says `end` once the record [p, end) is done. A value up to p means
 * "not yet", so slots are never cleared: what a lap ago left there is at most p. The tail
 * follows the links; below it everything is done, and the slots may be used again.
 *
 * Invariant: links of positions in [tail, tail + LINK_RING_BYTES) only, so that no two
 * share a slot: who adds a link waits for that first. The window is InnoDB's default, 1 MiB
 * of log, with one slot per 8 bytes, the grain of positions; InnoDB has one per byte. */
#ifndef DWCAS_WAL_LINK_RING_H
#define DWCAS_WAL_LINK_RING_H

#include "engine/loop.h"
#include "locks/wait.h"

enum { LINK_RING_SLOTS = CHECKED_SIZE(1 << 17, 8), LINK_RING_BYTES = LINK_RING_SLOTS * 8 };

struct link_ring {
    _Alignas(DWCAS_LINE) _Atomic uint64_t tail;
    _Alignas(DWCAS_LINE) _Atomic uint64_t slots[LINK_RING_SLOTS];
};

static inline void link_ring_start(struct link_ring *ring, uint64_t tip)
{
    atomic_store(&ring->tail, tip);
}

static inline _Atomic uint64_t *link_ring_slot(struct link_ring *ring, uint64_t position)
{
    return &ring->slots[position / 8 % LINK_RING_SLOTS];
}

/* Follows the links as far as they go. One thread at a time does: who takes the link at the
 * tail out of its slot. That link is the tail's own, not one of a lap later, if the tail
 * has not moved since the slot was read. */
static inline void link_ring_advance(struct link_ring *ring)
{
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    uint64_t next = atomic_load_explicit(link_ring_slot(ring, tail), memory_order_acquire);

    if (next <= tail || atomic_load_explicit(&ring->tail, memory_order_relaxed) != tail ||
        !atomic_compare_exchange_strong_explicit(link_ring_slot(ring, tail), &next, tail,
                                                 memory_order_acq_rel, memory_order_relaxed))
        return;
    do {
        tail = next;
        next = atomic_load_explicit(link_ring_slot(ring, tail), memory_order_acquire);
    } while (next > tail);
    /* L1: release, after the last look at the slots below; pairs with L2. */
    atomic_store_explicit(&ring->tail, tail, memory_order_release);
}

/* Waits until the slot of `position` is free; false if the run was aborted. Nobody else
 * moves the tail, so who finds the ring half full does it on the way. */
DWCAS_INLINE bool link_ring_wait(struct link_ring *ring, uint64_t position,
                                 const dwcas_thread *thread)
{
    uint32_t spins = 0;

    for (;;) {
        /* L2: acquire, before the slot is written. */
        const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);

        if (__builtin_expect(position - tail < LINK_RING_BYTES / 2, 1))
            return true;
        link_ring_advance(ring);
        if (position - tail < LINK_RING_BYTES)
            return true;
        if (!wait_again(&spins, thread))
            return false;
    }
}

/* L3: release, the record's bytes would be there by now; pairs with the loads of a slot. */
static inline void link_ring_put(struct link_ring *ring, uint64_t start, uint64_t end)
{
    atomic_store_explicit(link_ring_slot(ring, start), end, memory_order_release);
}

#endif
