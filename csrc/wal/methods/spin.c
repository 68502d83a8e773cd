/* SPDX-License-Identifier: MIT */
/* wal/methods/spin.c: R1 as PostgreSQL has it, under its own spinlock. The baseline. */
#include "locks/spin.h"

#include "wal/methods/locked.h"

DWCAS_DEFINE_LOCKED_METHOD(spin, .name = "spin", .kind = DWCAS_KIND_LOCK, .lock = "spin",
                           .sleeps = true, .telling = true,
                           .summary = "two words under PostgreSQL's test-and-set spinlock",
                           .source = "PostgreSQL 14-17, ReserveXLogInsertLocation and s_lock.c")
