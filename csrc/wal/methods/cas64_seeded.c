/* SPDX-License-Identifier: MIT */
/* wal/methods/cas64_seeded.c: R8, seeded with what this thread left there; pauses double.
 *
 * The first expected word is the one this thread wrote last, and the next word is made from
 * it alone: nothing is loaded before the CAS, which so costs little more than a fetch-add.
 * If nobody came in between, that is the whole reservation. A guess that is wrong costs one
 * failed CAS and is never used: the CAS that succeeds certifies tip and size before.
 *
 * After a failure another thread has the line and goes on reserving from it. So this one
 * stays away, 16 pauses and twice as many each time up to 256, then looks again.
 *
 * Why no fetch-add: additions commute, so a word changed by additions alone is the same
 * whichever came last, and cannot say which record is the one before. The link must then
 * come from the other thread (faa-link, faa-table), which may sleep.
 * Source: this project. */
#include "wal/methods/cas64_packed.h"

enum { FIRST_PAUSES = 16, MOST_PAUSES = 256 };

#define cas64_seeded_state cas64_packed_state
#define cas64_seeded_start cas64_packed_start
#define cas64_seeded_finish cas64_packed_finish

/* What a thread keeps. */
struct cas64_seeded_own {
    uint64_t word; /* that it wrote last; 0 at first, as good a guess as any */
};

DWCAS_INLINE dwcas_reservation cas64_seeded_reserve(void *memory, dwcas_thread *thread,
                                                    uint64_t size)
{
    struct cas64_packed_state *state = memory;
    struct cas64_seeded_own *own = (struct cas64_seeded_own *)thread->own;
    uint64_t word = own->word;
    int pauses = FIRST_PAUSES;
    dwcas_reservation reserved;

    while (!cas64_packed_try(state, &word, size >> GRAIN_BITS, &reserved)) {
        thread->retries++;
        for (int i = 0; i < pauses; i++)
            cpu_relax();
        if (pauses < MOST_PAUSES)
            pauses *= 2;
        word = atomic_load_explicit(&state->word, memory_order_acquire);
    }
    own->word = word;
    return reserved;
}

DWCAS_DEFINE_METHOD(cas64_seeded, .name = "cas64-seeded", .kind = DWCAS_KIND_LOCK_FREE,
                    .links = true, .telling = true,
                    .summary = "cas64-packed from the own last word; pauses double on failure",
                    .source = "this project")
