/* SPDX-License-Identifier: MIT */
/* wal/publish/broken/broken_hole.c: wrong on purpose: a watermark that a record moves without
 * waiting for those before it, over their holes. */
#include "wal/publish/publish.h"

struct hole {
    _Alignas(DWCAS_LINE) _Atomic uint64_t complete;
};

static void hole_start(void *memory, uint64_t tip, struct dwcas_slot *slots, uint32_t count)
{
    struct hole *state = memory;

    (void)slots, (void)count;
    atomic_init(&state->complete, tip);
}

static bool hole_part(void *memory, dwcas_thread *thread, struct dwcas_slot *slot, uint64_t from,
                      uint64_t to)
{
    struct hole *state = memory;

    (void)thread, (void)slot, (void)from;
    publish_raise(&state->complete, to);
    return true;
}

static uint64_t hole_watermark(void *memory)
{
    struct hole *state = memory;

    return atomic_load_explicit(&state->complete, memory_order_acquire);
}

extern const dwcas_publish dwcas_publish_broken_hole;
const dwcas_publish dwcas_publish_broken_hole = {
    .name = "broken-hole",
    .summary = "a watermark that passes over what is not complete",
    .source = "ours, to be caught",
    .broken = true,
    .state_bytes = sizeof(struct hole),
    .start = hole_start,
    .enter = publish_no_enter,
    .part = hole_part,
    .leave = publish_no_leave,
    .watermark = hole_watermark,
};
