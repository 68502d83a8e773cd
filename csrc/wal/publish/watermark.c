/* SPDX-License-Identifier: MIT */
/* wal/publish/watermark.c: one word that every record moves in its turn.
 *
 * Asking costs one load, publishing waits for all that lies before: a thread that is preempted
 * in its copy holds up everybody behind it.
 * Source: the cursor of a ring buffer with several producers; kernel ring buffers and DPDK's
 * rte_ring have it as the tail of the producers. */
#include "wal/publish/watermark.h"

static bool watermark_part(void *memory, dwcas_thread *thread, struct dwcas_slot *slot,
                           uint64_t from, uint64_t to)
{
    struct watermark *state = memory;
    uint32_t spins = 0;

    (void)slot;
    if (from == to)
        return true;
    /* W1: acquire; pairs with W2: the bytes before are complete for whoever sees `to`. */
    while (atomic_load_explicit(&state->complete, memory_order_acquire) != from)
        if (!wait_again(&spins, thread))
            return false;
    /* W2: release. */
    atomic_store_explicit(&state->complete, to, memory_order_release);
    return true;
}

extern const dwcas_publish dwcas_publish_watermark;
const dwcas_publish dwcas_publish_watermark = {
    .name = "watermark",
    .summary = "one word that each record moves in its turn, in the order of the log",
    .source = "ring buffers with several producers (DPDK's rte_ring)",
    .state_bytes = sizeof(struct watermark),
    .start = watermark_start,
    .enter = publish_no_enter,
    .part = watermark_part,
    .leave = publish_no_leave,
    .watermark = watermark_read,
};
