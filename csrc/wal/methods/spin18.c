/* SPDX-License-Identifier: MIT */
/* wal/methods/spin18.c: R1 as PostgreSQL 18 has it; differs from spin on arm64 only. */
#include "locks/spin18.h"

#include "wal/methods/locked.h"

DWCAS_DEFINE_LOCKED_METHOD(spin18, .name = "spin18", .kind = DWCAS_KIND_LOCK, .lock = "spin18",
                           .sleeps = true,
                           .summary = "spin, but arm64 tests before it sets (x86-64 always did)",
                           .source = "PostgreSQL 18, s_lock.h (3d0b4b1068)")
