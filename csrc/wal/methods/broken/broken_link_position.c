/* SPDX-License-Identifier: MIT */
/* Broken: a completion link is put under the wrong position when the thread was interrupted
 * before. All places are right, only the tail stops at the first such link. */
#include "wal/link_ring.h"
#include "wal/methods/broken/gap.h"
#include "wal/methods/define.h"

struct broken_link_position_state {
    _Alignas(DWCAS_LINE) _Atomic uint64_t tip;
    struct link_ring ring;
};

static void broken_link_position_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct broken_link_position_state *state = memory;

    (void)prev;
    atomic_store(&state->tip, tip);
    link_ring_start(&state->ring, tip);
}

DWCAS_INLINE dwcas_reservation broken_link_position_reserve(void *memory, dwcas_thread *thread,
                                                            uint64_t size)
{
    struct broken_link_position_state *state = memory;
    const uint64_t start = atomic_fetch_add(&state->tip, size), end = start + size;

    gap(thread);
    link_ring_put(&state->ring, atomic_load(&state->tip) == end ? start : start + 8, end);
    return (dwcas_reservation){start, end, 0};
}

static void broken_link_position_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct broken_link_position_state *state = memory;

    link_ring_advance(&state->ring);
    *tip = atomic_load(&state->ring.tail);
    *prev = 0;
}

DWCAS_DEFINE_METHOD(broken_link_position, .name = "broken-link-position",
                    .kind = DWCAS_KIND_BROKEN, .links = false,
                    .summary = "wrong on purpose: a link is put under the wrong position",
                    .source = "innodb with an input read twice")
