/* SPDX-License-Identifier: MIT */
/* Broken: completion is published without waiting for the own turn, in a ring that is small
 * enough to be lapped. All places and links are right, only completions get lost. */
#define COMPLETION_ENTRIES CHECKED_SIZE(64, 2)
#define RECORD_NUMBER_BITS 31

#include "wal/methods/broken/gap.h"
#include "wal/methods/completion_ring.h"
#include "wal/methods/define.h"

struct broken_lapped_ring_state {
    _Alignas(DWCAS_LINE) dwcas_atomic_pair pair; /* tip; number of the next record */
    struct completion_ring ring;
};

static void broken_lapped_ring_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct broken_lapped_ring_state *state = memory;

    (void)prev;
    pair_store(&state->pair, (dwcas_pair){tip, 0}, DWCAS_SEQ_CST);
    completion_ring_start(&state->ring, tip);
}

DWCAS_INLINE dwcas_reservation broken_lapped_ring_reserve(void *memory, dwcas_thread *thread,
                                                          uint64_t size)
{
    struct broken_lapped_ring_state *state = memory;
    dwcas_pair seen = pair_guess(&state->pair);

    while (!pair_compare_exchange(&state->pair, seen, (dwcas_pair){seen.lo + size, seen.hi + 1},
                                  &seen, DWCAS_ACQ_REL))
        thread->retries++;
    gap(thread);
    completion_ring_write(&state->ring);
    atomic_store(&state->ring.entries[seen.hi % COMPLETION_ENTRIES].end, seen.lo + size);
    return (dwcas_reservation){seen.lo, seen.lo + size, 0};
}

static void broken_lapped_ring_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct broken_lapped_ring_state *state = memory;

    *tip =
        completion_ring_finish(&state->ring, (uint32_t)pair_load_hi(&state->pair, DWCAS_RELAXED));
    *prev = 0;
}

DWCAS_DEFINE_METHOD(broken_lapped_ring, .name = "broken-lapped-ring", .kind = DWCAS_KIND_BROKEN,
                    .links = false,
                    .summary = "wrong on purpose: publishes before its turn in the ring has come",
                    .source = "opengauss without the wait for its entry")
