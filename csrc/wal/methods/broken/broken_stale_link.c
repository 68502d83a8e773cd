/* SPDX-License-Identifier: MIT */
/* Broken: links are left in a ring by position, but nobody clears a slot, so a link of a lap
 * ago is taken for the own. Right as long as every predecessor is quick. */
#include "wal/methods/broken/gap.h"

enum { LINK_SLOTS = CHECKED_SIZE(512, 16) };

struct broken_stale_link_state {
    _Alignas(DWCAS_LINE) _Atomic uint64_t tip;
    _Atomic uint64_t links[LINK_SLOTS]; /* start + 1 */
};

static _Atomic uint64_t *link_slot(struct broken_stale_link_state *state, uint64_t position)
{
    return &state->links[position / 8 % LINK_SLOTS];
}

static void broken_stale_link_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct broken_stale_link_state *state = memory;

    for (int i = 0; i < LINK_SLOTS; i++)
        atomic_store(&state->links[i], prev + 1);
    atomic_store(&state->tip, tip);
}

DWCAS_INLINE dwcas_reservation broken_stale_link_reserve(void *memory, dwcas_thread *thread,
                                                         uint64_t size)
{
    struct broken_stale_link_state *state = memory;
    const uint64_t start = atomic_fetch_add(&state->tip, size), end = start + size;

    gap(thread);
    atomic_store(link_slot(state, end), start + 1);
    return (dwcas_reservation){start, end, atomic_load(link_slot(state, start)) - 1};
}

static void broken_stale_link_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct broken_stale_link_state *state = memory;

    *tip = atomic_load(&state->tip);
    *prev = atomic_load(link_slot(state, *tip)) - 1;
}

DWCAS_DEFINE_METHOD(broken_stale_link, .name = "broken-stale-link", .kind = DWCAS_KIND_BROKEN,
                    .links = true, .summary = "wrong on purpose: a link of a lap ago is taken",
                    .source = "faa-link without clearing and waiting")
