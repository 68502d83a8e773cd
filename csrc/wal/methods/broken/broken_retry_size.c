/* SPDX-License-Identifier: MIT */
/* Broken: an input changes when the CAS is tried again (the fault of OSv issue 1189, an
 * operand clobbered in the first pass). Without contention it looks right. */
#include "wal/methods/broken/gap.h"

struct broken_retry_size_state {
    _Alignas(DWCAS_LINE) dwcas_atomic_pair pair;
};

static void broken_retry_size_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct broken_retry_size_state *state = memory;

    pair_store(&state->pair, (dwcas_pair){tip, prev}, DWCAS_SEQ_CST);
}

DWCAS_INLINE dwcas_reservation broken_retry_size_reserve(void *memory, dwcas_thread *thread,
                                                         uint64_t size)
{
    struct broken_retry_size_state *state = memory;
    dwcas_pair seen = pair_load(&state->pair, DWCAS_ACQUIRE);

    for (;;) {
        const dwcas_pair next = {seen.lo + size, seen.lo};

        gap(thread);
        if (pair_compare_exchange(&state->pair, seen, next, &seen, DWCAS_ACQ_REL))
            return (dwcas_reservation){seen.lo, next.lo, seen.hi};
        size += 8;
        thread->retries++;
    }
}

static void broken_retry_size_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct broken_retry_size_state *state = memory;
    const dwcas_pair pair = pair_load(&state->pair, DWCAS_SEQ_CST);

    *tip = pair.lo;
    *prev = pair.hi;
}

DWCAS_DEFINE_METHOD(broken_retry_size, .name = "broken-retry-size", .kind = DWCAS_KIND_BROKEN,
                    .links = true, .summary = "wrong on purpose: the size grows on every retry",
                    .source = "OSv issue 1189: input accumulated across retries")
