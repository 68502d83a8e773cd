/* SPDX-License-Identifier: MIT */
/* wal/methods/cas128_backoff.c: R3 with 16 pauses after a failed CAS.
 *
 * Under contention this decides more than the choice of the instruction: whoever holds
 * the line goes on reserving from it instead of losing it to every retry. 16 was the
 * best of a coarse sweep on two cores; other machines want other figures. */
#include "wal/methods/cas128.h"

enum { PAUSES_AFTER_FAILURE = 16 };

#define cas128_backoff_state cas128_state
#define cas128_backoff_start cas128_start
#define cas128_backoff_finish cas128_finish

DWCAS_INLINE dwcas_reservation cas128_backoff_reserve(void *state, dwcas_thread *thread,
                                                      uint64_t size)
{
    return cas128_reserve_pausing(state, thread, size, PAUSES_AFTER_FAILURE);
}

DWCAS_DEFINE_METHOD(cas128_backoff, .name = "cas128-backoff", .kind = DWCAS_KIND_LOCK_FREE,
                    .links = true, .telling = true,
                    .summary = "cas128 with 16 pauses after a failed CAS",
                    .source = "cas128; exponential backoff's first step, fixed")
