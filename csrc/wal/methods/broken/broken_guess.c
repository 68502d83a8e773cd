/* SPDX-License-Identifier: MIT */
/* Broken: a guess that is not verified. The size of the record before is the one this thread
 * left in the word, also when the CAS then succeeded on another word. */
#include "wal/methods/broken/gap.h"
#include "wal/methods/cas64_packed.h"

#define broken_guess_state cas64_packed_state
#define broken_guess_start cas64_packed_start
#define broken_guess_finish cas64_packed_finish

/* gap() has the first byte. */
struct broken_guess_own {
    uint64_t calls;
    uint64_t size_before;
};

DWCAS_INLINE dwcas_reservation broken_guess_reserve(void *memory, dwcas_thread *thread,
                                                    uint64_t size)
{
    struct cas64_packed_state *state = memory;
    struct broken_guess_own *own = (struct broken_guess_own *)thread->own;
    uint64_t word = atomic_load(&state->word);
    dwcas_reservation reserved;

    gap(thread);
    while (!cas64_packed_try(state, &word, size >> GRAIN_BITS, &reserved))
        thread->retries++;
    if (own->size_before != 0)
        reserved.prev = reserved.start - own->size_before;
    own->size_before = size;
    return reserved;
}

DWCAS_DEFINE_METHOD(broken_guess, .name = "broken-guess", .kind = DWCAS_KIND_BROKEN, .links = true,
                    .summary = "wrong on purpose: the guess of the size before is not verified",
                    .source = "cas64-seeded without its CAS on the whole word")
