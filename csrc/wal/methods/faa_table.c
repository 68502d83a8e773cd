/* SPDX-License-Identifier: MIT */
/* wal/methods/faa_table.c: R7, a fetch-add; each record leaves its size for the next one in
 * a hash table.
 *
 * As faa-link, but the place where the link is left needs neither a WAL page nor a window:
 * only as many entries as records are in flight. In the patch the link is needed before
 * the CRC; here a reservation hands it out, so it waits inside.
 * Source: Sokolov, pgsql-hackers, January 2025, in the thread of "Lock-free XLog
 * Reservation". */
#include "wal/methods/link_table.h"

struct faa_table_state {
    _Alignas(DWCAS_LINE) _Atomic uint64_t tip;
    struct link_table links;
};

static void faa_table_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct faa_table_state *state = memory;

    atomic_store(&state->tip, tip);
    link_table_put(&state->links, link_tag(tip), (uint32_t)(tip - prev));
}

DWCAS_INLINE dwcas_reservation faa_table_reserve(void *memory, dwcas_thread *thread, uint64_t size)
{
    struct faa_table_state *state = memory;
    const uint64_t start = atomic_fetch_add_explicit(&state->tip, size, memory_order_acq_rel);
    const uint64_t end = start + size;
    bool left = false;
    uint32_t size_before = 0, spins = 0;

    for (;;) {
        if (!left)
            left = link_table_put(&state->links, link_tag(end), (uint32_t)size);
        if (size_before == 0)
            size_before = link_table_take(&state->links, link_tag(start));
        if (left && size_before != 0)
            return (dwcas_reservation){start, end, start - size_before};
        if (!wait_again(&spins, thread))
            return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
    }
}

static void faa_table_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct faa_table_state *state = memory;

    *tip = atomic_load(&state->tip);
    *prev = *tip - link_table_take(&state->links, link_tag(*tip));
}

DWCAS_DEFINE_METHOD(faa_table, .name = "faa-table", .kind = DWCAS_KIND_FETCH_ADD, .links = true,
                    .sleeps = true,
                    .summary = "fetch-add; the link is left for the next record in a hash table",
                    .source = "Sokolov, pgsql-hackers 2025, Lock-free XLog Reservation")
