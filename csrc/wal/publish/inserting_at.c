/* SPDX-License-Identifier: MIT */
/* wal/publish/inserting_at.c: PostgreSQL's way.
 *
 * Publishing is a store to the own slot; who wants to know pays, by a look at every slot. In
 * PostgreSQL it reads the tip under the spinlock first and sleeps on a slot that is below what
 * it needs; here it takes the highest end published instead of the tip, and asks again.
 * Source: PostgreSQL 14 to 18, xlog.c, WaitXLogInsertionsToFinish; that the answer is kept and
 * only grows is 17's logInsertResult. */
#include "wal/publish/inserting_at.h"

extern const dwcas_publish dwcas_publish_inserting_at;
const dwcas_publish dwcas_publish_inserting_at = {
    .name = "inserting-at",
    .summary = "each slot says where it inserts; who wants to know asks all of them",
    .source = "PostgreSQL 14-18, WaitXLogInsertionsToFinish",
    .state_bytes = sizeof(struct inserting_at),
    .start = inserting_at_start,
    .enter = inserting_at_enter,
    .part = inserting_at_part,
    .leave = inserting_at_leave,
    .watermark = inserting_at_watermark,
};
