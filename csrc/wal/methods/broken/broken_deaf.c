/* SPDX-License-Identifier: MIT */
/* Broken: waits for ever and does not ask whether the run was aborted. The engine must
 * leave such threads behind and say so. */
#include "wal/methods/broken/gap.h"

#define broken_deaf_state two_words_state
#define broken_deaf_start two_words_start
#define broken_deaf_finish two_words_finish

DWCAS_INLINE dwcas_reservation broken_deaf_reserve(void *memory, dwcas_thread *thread,
                                                   uint64_t size)
{
    struct two_words_state *state = memory;
    const uint64_t start = atomic_load(&state->tip);

    (void)thread;
    while (atomic_load(&state->tip) == start)
        give_up_cpu();
    return (dwcas_reservation){start, start + size, 0};
}

DWCAS_DEFINE_METHOD(broken_deaf, .name = "broken-deaf", .kind = DWCAS_KIND_BROKEN, .links = true,
                    .sleeps = true, .summary = "wrong on purpose: waits and cannot be stopped",
                    .source = "a wait loop without a way out")
