/* SPDX-License-Identifier: MIT */
/* wal/methods/faa_bound.c: one fetch-add, no prev link. Not a rival but the bound: no
 * method that moves the tip through one line can be faster than this. */
#include "wal/methods/define.h"

struct faa_bound_state {
    _Alignas(DWCAS_LINE) _Atomic uint64_t tip;
};

static void faa_bound_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct faa_bound_state *state = memory;

    (void)prev;
    atomic_store(&state->tip, tip);
}

DWCAS_INLINE dwcas_reservation faa_bound_reserve(void *memory, dwcas_thread *thread, uint64_t size)
{
    struct faa_bound_state *state = memory;
    const uint64_t start = atomic_fetch_add_explicit(&state->tip, size, memory_order_acq_rel);

    (void)thread;
    return (dwcas_reservation){start, start + size, 0};
}

static void faa_bound_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct faa_bound_state *state = memory;

    *tip = atomic_load(&state->tip);
    *prev = 0;
}

DWCAS_DEFINE_METHOD(faa_bound, .name = "faa-bound", .kind = DWCAS_KIND_BOUND, .links = false,
                    .telling = true,
                    .summary = "fetch-add without a prev link: the physical bound, no rival",
                    .source = "the common first step of R6, R7, R9")
