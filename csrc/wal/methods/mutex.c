/* SPDX-License-Identifier: MIT */
/* wal/methods/mutex.c: R1 under the C library's mutex, whose waiters sleep. */
#include "locks/mutex.h"

#include "wal/methods/locked.h"

DWCAS_DEFINE_LOCKED_METHOD(mutex, .name = "mutex", .kind = DWCAS_KIND_LOCK, .lock = "mutex",
                           .sleeps = true, .telling = true,
                           .summary = "two words under a pthread mutex",
                           .source = "POSIX threads, default mutex")
