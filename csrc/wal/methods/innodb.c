/* SPDX-License-Identifier: MIT */
/* wal/methods/innodb.c: R9, a fetch-add and a ring of links from start to end.
 *
 * The sequence number counts data bytes, as bytepos does, and one fetch-add moves it. The
 * record is done at once here, so its link is stored at once; the tail that follows the
 * links is what the log writer of the server may write up to. Room in the ring is waited
 * for after reserving, as there.
 *
 * InnoDB's records carry no prev link, so this hands none out: a bound, with the cost of
 * completion beside faa-bound's. Left out: bit 63 as exclusive lock (that is the switch),
 * the wait for buffer space, the second ring that orders dirty pages. The server has a
 * thread that moves the tail, here the reserving threads do.
 * Source: MySQL 8.0, log0buf and Link_buf (recent_written). */
#include "wal/link_ring.h"
#include "wal/methods/define.h"

struct innodb_state {
    _Alignas(DWCAS_LINE) _Atomic uint64_t sn; /* the tip */
    struct link_ring recent_written;
};

static void innodb_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct innodb_state *state = memory;

    (void)prev;
    atomic_store(&state->sn, tip);
    link_ring_start(&state->recent_written, tip);
}

DWCAS_INLINE dwcas_reservation innodb_reserve(void *memory, dwcas_thread *thread, uint64_t size)
{
    struct innodb_state *state = memory;
    const uint64_t start = atomic_fetch_add_explicit(&state->sn, size, memory_order_acq_rel);

    if (!link_ring_wait(&state->recent_written, start, thread))
        return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
    link_ring_put(&state->recent_written, start, start + size);
    return (dwcas_reservation){start, start + size, 0};
}

/* The tip is read off the links, so that the oracle sees one that was lost. */
static void innodb_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct innodb_state *state = memory;

    link_ring_advance(&state->recent_written);
    *tip = atomic_load(&state->recent_written.tail);
    *prev = 0;
}

DWCAS_DEFINE_METHOD(innodb, .name = "innodb", .kind = DWCAS_KIND_BOUND, .links = false,
                    .sleeps = true,
                    .summary = "fetch-add and a ring of completion links; no prev link",
                    .source = "MySQL 8.0 InnoDB, log0buf and Link_buf")
