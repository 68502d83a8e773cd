/* SPDX-License-Identifier: MIT */
/* wal/methods/cas64_packed.c: R8, tried again at once. */
#include "wal/methods/cas64_packed.h"

DWCAS_INLINE dwcas_reservation cas64_packed_reserve(void *memory, dwcas_thread *thread,
                                                    uint64_t size)
{
    struct cas64_packed_state *state = memory;
    uint64_t word = atomic_load_explicit(&state->word, memory_order_acquire);
    dwcas_reservation reserved;

    while (!cas64_packed_try(state, &word, size >> GRAIN_BITS, &reserved))
        thread->retries++;
    return reserved;
}

DWCAS_DEFINE_METHOD(cas64_packed, .name = "cas64-packed", .kind = DWCAS_KIND_LOCK_FREE,
                    .links = true, .telling = true,
                    .summary = "37 bits of tip and 27 bits of size before in one 8-byte CAS",
                    .source = "R8: the same atomicity in half the width")
