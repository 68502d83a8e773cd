/* SPDX-License-Identifier: MIT */
/* wal/methods/ticket.c: R1 under the simplest fair lock. */
#include "locks/ticket.h"

#include "wal/methods/locked.h"

DWCAS_DEFINE_LOCKED_METHOD(ticket, .name = "ticket", .kind = DWCAS_KIND_LOCK, .lock = "ticket",
                           .sleeps = true,
                           .summary = "two words under a ticket lock with proportional backoff",
                           .source = "Mellor-Crummey and Scott 1991")
