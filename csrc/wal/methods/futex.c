/* SPDX-License-Identifier: MIT */
/* wal/methods/futex.c: R1 under a mutex of one word, whose waiters sleep. */
#include "locks/futex.h"

#include "wal/methods/locked.h"

DWCAS_DEFINE_LOCKED_METHOD(futex, .name = "futex", .kind = DWCAS_KIND_LOCK, .lock = "futex",
                           .sleeps = true,
                           .summary = "two words under a futex mutex whose waiters sleep at once",
                           .source = "Drepper, Futexes are tricky: mutex 3")
