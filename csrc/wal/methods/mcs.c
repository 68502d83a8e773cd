/* SPDX-License-Identifier: MIT */
/* wal/methods/mcs.c: R1 under the queue lock whose waiters link themselves. */
#include "locks/mcs.h"

#include "wal/methods/locked.h"

DWCAS_DEFINE_LOCKED_METHOD(mcs, .name = "mcs", .kind = DWCAS_KIND_LOCK, .lock = "mcs",
                           .sleeps = true,
                           .summary = "two words under a queue lock, each waiter on its own line",
                           .source = "Mellor-Crummey and Scott 1991")
