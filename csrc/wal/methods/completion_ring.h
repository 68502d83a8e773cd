/* SPDX-License-Identifier: MIT */
/* wal/methods/completion_ring.h: openGauss' ring of completed records, by record number.
 *
 * Entry i serves the records i, i + N, i + 2N ... one after the other. It says whose turn it
 * is (`number`) and, once that record is complete, where it ends. The writer follows the
 * entries from the last it has seen, so it stops at the first record that is not complete,
 * and gives each entry to the record one lap later. Entries are not padded, as there: four
 * neighbours share a line. */
#ifndef DWCAS_WAL_METHODS_COMPLETION_RING_H
#define DWCAS_WAL_METHODS_COMPLETION_RING_H

#include "engine/loop.h"
#include "locks/wait.h"

#ifndef COMPLETION_ENTRIES
#define COMPLETION_ENTRIES CHECKED_SIZE(65536, 2) /* a mutant has fewer */
#endif
#ifndef RECORD_NUMBER_BITS
#define RECORD_NUMBER_BITS CHECKED_SIZE(31, 2) /* a test has fewer, so that they wrap */
#endif

#define RECORD_NUMBERS_MASK ((uint32_t)((1ull << RECORD_NUMBER_BITS) - 1))

struct completion {
    _Atomic uint64_t end; /* 0: not complete */
    _Atomic uint64_t number;
};

struct completion_ring {
    _Alignas(DWCAS_LINE) _Atomic uint32_t busy; /* somebody is the writer; guards the next two */
    uint32_t next;                              /* number of the first record not written */
    uint64_t written;                           /* where that record starts */
    _Alignas(DWCAS_LINE) struct completion entries[COMPLETION_ENTRIES];
};

static inline void completion_ring_start(struct completion_ring *ring, uint64_t tip)
{
    ring->written = tip;
    for (uint32_t i = 0; i < COMPLETION_ENTRIES; i++)
        atomic_store_explicit(&ring->entries[i].number, i, memory_order_relaxed);
}

/* The writer's part, at most one lap; nothing if another thread is at it. */
static inline void completion_ring_write(struct completion_ring *ring)
{
    if (atomic_load_explicit(&ring->busy, memory_order_relaxed) != 0 ||
        atomic_exchange_explicit(&ring->busy, 1, memory_order_acquire) != 0)
        return;
    for (uint32_t i = 0; i < COMPLETION_ENTRIES; i++) {
        struct completion *entry = &ring->entries[ring->next % COMPLETION_ENTRIES];
        const uint64_t end = atomic_load_explicit(&entry->end, memory_order_acquire);

        if (end == 0)
            break;
        ring->written = end;
        atomic_store_explicit(&entry->end, 0, memory_order_relaxed);
        /* C1: release, after `end` is 0; pairs with C2. */
        atomic_store_explicit(&entry->number,
                              (ring->next + COMPLETION_ENTRIES) & RECORD_NUMBERS_MASK,
                              memory_order_release);
        ring->next = (ring->next + 1) & RECORD_NUMBERS_MASK;
    }
    atomic_store_explicit(&ring->busy, 0, memory_order_release);
}

/* Record `number` is complete and ends at `end`. False if the run was aborted while the
 * entry still belonged to a record a lap ago; who finds that helps the writer. */
DWCAS_INLINE bool completion_ring_publish(struct completion_ring *ring, uint32_t number,
                                          uint64_t end, const dwcas_thread *thread)
{
    struct completion *entry = &ring->entries[number % COMPLETION_ENTRIES];
    uint32_t spins = 0;

    /* C2: acquire; `end` is 0 then. */
    while (atomic_load_explicit(&entry->number, memory_order_acquire) != number) {
        completion_ring_write(ring);
        if (!wait_again(&spins, thread))
            return false;
    }
    /* Release: the record's bytes would be there by now; pairs with the writer's load. */
    atomic_store_explicit(&entry->end, end, memory_order_release);
    return true;
}

/* After the run: where the writer has got to, which is the tip if every record up to `number`
 * was published in its turn; 0 if completions got lost. */
static inline uint64_t completion_ring_finish(struct completion_ring *ring, uint32_t number)
{
    completion_ring_write(ring);
    return ring->next == number ? ring->written : 0;
}

#endif
