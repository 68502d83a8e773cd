/* SPDX-License-Identifier: MIT */
/* wal/methods/ttas.c: R1 under the simplest lock that backs off. */
#include "locks/ttas.h"

#include "wal/methods/locked.h"

DWCAS_DEFINE_LOCKED_METHOD(
    ttas, .name = "ttas", .kind = DWCAS_KIND_LOCK, .lock = "ttas", .sleeps = true, .telling = true,
    .summary = "two words under test-and-test-and-set with exponential backoff",
    .source = "Anderson 1990; Mellor-Crummey and Scott 1991")
