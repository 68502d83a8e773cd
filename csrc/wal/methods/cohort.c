/* SPDX-License-Identifier: MIT */
/* wal/methods/cohort.c: R1 under a lock that prefers waiters that are near. */
#include "locks/cohort.h"

#include "wal/methods/locked.h"

DWCAS_DEFINE_LOCKED_METHOD(
    cohort, .name = "cohort", .kind = DWCAS_KIND_LOCK, .lock = "cohort", .sleeps = true,
    .summary = "two words under a lock that stays on a NUMA node for a while",
    .source = "Dice, Marathe, Shavit 2012: C-TKT-TKT")
