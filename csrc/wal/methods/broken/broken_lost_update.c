/* SPDX-License-Identifier: MIT */
/* Broken: loads, adds and stores without any atomicity. Two threads get one place. */
#include "wal/methods/broken/gap.h"

#define broken_lost_update_state two_words_state
#define broken_lost_update_start two_words_start
#define broken_lost_update_finish two_words_finish

DWCAS_INLINE dwcas_reservation broken_lost_update_reserve(void *memory, dwcas_thread *thread,
                                                          uint64_t size)
{
    struct two_words_state *state = memory;
    const uint64_t start = atomic_load(&state->tip);
    const uint64_t prev = atomic_load(&state->prev);

    gap(thread);
    atomic_store(&state->tip, start + size);
    atomic_store(&state->prev, start);
    return (dwcas_reservation){start, start + size, prev};
}

DWCAS_DEFINE_METHOD(broken_lost_update, .name = "broken-lost-update", .kind = DWCAS_KIND_BROKEN,
                    .links = true, .summary = "wrong on purpose: load, add, store",
                    .source = "the textbook race")
