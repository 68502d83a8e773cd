/* SPDX-License-Identifier: MIT */
/* wal/publish/broken/broken_backwards.c: wrong on purpose: inserting-at that does not keep its
 * highest answer, so that the next may be lower.
 * Source of the fault: PostgreSQL before commit 358cde320b (2015). */
#include "wal/publish/inserting_at.h"

static uint64_t backwards_watermark(void *memory)
{
    return inserting_at_scan(memory);
}

extern const dwcas_publish dwcas_publish_broken_backwards;
const dwcas_publish dwcas_publish_broken_backwards = {
    .name = "broken-backwards",
    .summary = "inserting-at whose answers go backwards",
    .source = "ours, to be caught; PostgreSQL fixed the like in 358cde320b",
    .broken = true,
    .state_bytes = sizeof(struct inserting_at),
    .start = inserting_at_start,
    .enter = inserting_at_enter,
    .part = inserting_at_part,
    .leave = inserting_at_leave,
    .watermark = backwards_watermark,
};
