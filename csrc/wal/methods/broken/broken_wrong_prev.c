/* SPDX-License-Identifier: MIT */
/* Broken: the tip moves atomically, the prev link by an exchange of its own. Positions
 * are right, every record is well formed, only linked to the wrong predecessor: what a
 * mutant PostgreSQL with two 64-bit atomics does, unseen by any CRC. */
#include "wal/methods/broken/gap.h"

#define broken_wrong_prev_state two_words_state
#define broken_wrong_prev_start two_words_start
#define broken_wrong_prev_finish two_words_finish

DWCAS_INLINE dwcas_reservation broken_wrong_prev_reserve(void *memory, dwcas_thread *thread,
                                                         uint64_t size)
{
    struct two_words_state *state = memory;
    const uint64_t start = atomic_fetch_add(&state->tip, size);

    gap(thread);
    return (dwcas_reservation){start, start + size, atomic_exchange(&state->prev, start)};
}

DWCAS_DEFINE_METHOD(broken_wrong_prev, .name = "broken-wrong-prev", .kind = DWCAS_KIND_BROKEN,
                    .links = true, .summary = "wrong on purpose: tip and prev by two atomics",
                    .source = "a mutant server: two 64-bit atomics instead of one of 128 bits")
