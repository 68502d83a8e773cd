/* SPDX-License-Identifier: MIT */
/* wal/publish/broken/broken_blind.c: wrong on purpose: inserting-at whose slots do not say that
 * an inserter has entered, only what it has done. The watermark passes over records that are
 * being copied. */
#include "wal/publish/inserting_at.h"

extern const dwcas_publish dwcas_publish_broken_blind;
const dwcas_publish dwcas_publish_broken_blind = {
    .name = "broken-blind",
    .summary = "inserting-at that does not see who has just entered",
    .source = "ours, to be caught",
    .broken = true,
    .state_bytes = sizeof(struct inserting_at),
    .start = inserting_at_start,
    .enter = publish_no_enter,
    .part = inserting_at_part,
    .leave = inserting_at_leave,
    .watermark = inserting_at_watermark,
};
