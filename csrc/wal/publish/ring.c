/* SPDX-License-Identifier: MIT */
/* wal/publish/ring.c: a link from start to end for each record, and a tail that follows them.
 *
 * Publishing is one store to a place that depends on the position, so neighbours in the log
 * share lines; asking costs nothing but to follow the links, which one thread at a time does.
 * Who is a ring ahead of the tail waits.
 * Source: MySQL 8.0 InnoDB, Link_buf (recent_written). */
#include "wal/link_ring.h"
#include "wal/publish/publish.h"

static void ring_start(void *memory, uint64_t tip, struct dwcas_slot *slots, uint32_t count)
{
    (void)slots, (void)count;
    link_ring_start(memory, tip);
}

static bool ring_part(void *memory, dwcas_thread *thread, struct dwcas_slot *slot, uint64_t from,
                      uint64_t to)
{
    (void)slot;
    if (from == to)
        return true;
    if (!link_ring_wait(memory, from, thread))
        return false;
    link_ring_put(memory, from, to);
    return true;
}

static uint64_t ring_watermark(void *memory)
{
    struct link_ring *ring = memory;

    link_ring_advance(ring);
    return atomic_load_explicit(&ring->tail, memory_order_acquire);
}

extern const dwcas_publish dwcas_publish_ring;
const dwcas_publish dwcas_publish_ring = {
    .name = "ring",
    .summary = "a link from start to end per record; a tail follows the links",
    .source = "MySQL 8.0 InnoDB, Link_buf",
    .state_bytes = sizeof(struct link_ring),
    .start = ring_start,
    .enter = publish_no_enter,
    .part = ring_part,
    .leave = publish_no_leave,
    .watermark = ring_watermark,
};
