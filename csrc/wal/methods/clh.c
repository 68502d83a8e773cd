/* SPDX-License-Identifier: MIT */
/* wal/methods/clh.c: R1 under the queue lock whose nodes wander. */
#include "locks/clh.h"

#include "wal/methods/locked.h"

DWCAS_DEFINE_LOCKED_METHOD(
    clh, .name = "clh", .kind = DWCAS_KIND_LOCK, .lock = "clh", .sleeps = true,
    .summary = "two words under a queue lock, each waiter on its predecessor's line",
    .source = "Craig 1993; Magnusson, Landin, Hagersten 1994")
