/* SPDX-License-Identifier: MIT */
/* Broken: takes the prev link from a pair read in two halves, as a CAS that returns what
 * a lone LDXP saw. The tip is certified by the CAS, the link may be another moment's. */
#include "wal/methods/broken/gap.h"

#define broken_torn_pair_state two_words_state
#define broken_torn_pair_start two_words_start
#define broken_torn_pair_finish two_words_finish

DWCAS_INLINE dwcas_reservation broken_torn_pair_reserve(void *memory, dwcas_thread *thread,
                                                        uint64_t size)
{
    struct two_words_state *state = memory;

    for (;;) {
        const uint64_t prev = atomic_load(&state->prev);
        uint64_t start;

        gap(thread);
        start = atomic_load(&state->tip);
        if (atomic_compare_exchange_strong(&state->tip, &start, start + size)) {
            atomic_store(&state->prev, start);
            return (dwcas_reservation){start, start + size, prev};
        }
        thread->retries++;
    }
}

DWCAS_DEFINE_METHOD(broken_torn_pair, .name = "broken-torn-pair", .kind = DWCAS_KIND_BROKEN,
                    .links = true, .summary = "wrong on purpose: the pair is read in two halves",
                    .source = "the torn miss of LDXP without store-back")
