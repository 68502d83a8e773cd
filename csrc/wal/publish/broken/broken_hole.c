/* SPDX-License-Identifier: MIT */
/* wal/publish/broken/broken_hole.c: wrong on purpose: a watermark that a record moves without
 * waiting for those before it, over their holes. */
#include "wal/publish/watermark.h"

static bool hole_part(void *memory, dwcas_thread *thread, struct dwcas_slot *slot, uint64_t from,
                      uint64_t to)
{
    struct watermark *state = memory;

    (void)thread, (void)slot, (void)from;
    publish_raise(&state->complete, to);
    return true;
}

extern const dwcas_publish dwcas_publish_broken_hole;
const dwcas_publish dwcas_publish_broken_hole = {
    .name = "broken-hole",
    .summary = "a watermark that passes over what is not complete",
    .source = "ours, to be caught",
    .broken = true,
    .state_bytes = sizeof(struct watermark),
    .start = watermark_start,
    .enter = publish_no_enter,
    .part = hole_part,
    .leave = publish_no_leave,
    .watermark = watermark_read,
};
