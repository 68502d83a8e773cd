/* SPDX-License-Identifier: MIT */
/* Broken: the table of links tells two positions apart by one bit. Each link is taken once,
 * only not always by the right record. */
#include "wal/methods/broken/gap.h"
#include "wal/methods/link_table.h"

struct broken_tag_state {
    _Alignas(DWCAS_LINE) _Atomic uint64_t tip;
    struct link_table links;
};

static uint32_t short_tag(uint64_t position)
{
    return link_tag(position) % 2;
}

static void broken_tag_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct broken_tag_state *state = memory;

    atomic_store(&state->tip, tip);
    link_table_put(&state->links, short_tag(tip), (uint32_t)(tip - prev));
}

DWCAS_INLINE dwcas_reservation broken_tag_reserve(void *memory, dwcas_thread *thread,
                                                  uint64_t size)
{
    struct broken_tag_state *state = memory;
    const uint64_t start = atomic_fetch_add(&state->tip, size), end = start + size;
    uint32_t size_before, spins = 0;

    gap(thread);
    while (!link_table_put(&state->links, short_tag(end), (uint32_t)size))
        if (!wait_again(&spins, thread))
            return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
    while ((size_before = link_table_take(&state->links, short_tag(start))) == 0)
        if (!wait_again(&spins, thread))
            return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
    return (dwcas_reservation){start, end, start - size_before};
}

static void broken_tag_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct broken_tag_state *state = memory;

    *tip = atomic_load(&state->tip);
    *prev = *tip - link_table_take(&state->links, short_tag(*tip));
}

DWCAS_DEFINE_METHOD(broken_tag, .name = "broken-tag", .kind = DWCAS_KIND_BROKEN, .links = true,
                    .sleeps = true,
                    .summary = "wrong on purpose: links are told apart by one bit of position",
                    .source = "faa-table with too short a tag")
