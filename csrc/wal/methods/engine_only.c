/* SPDX-License-Identifier: MIT */
/* wal/methods/engine_only.c: reserves nothing and touches no shared memory; what is left
 * is the engine's own cost per operation: size, tally, poll, sample. */
#include "wal/methods/define.h"

struct engine_only_state {
    uint64_t tip;
    uint64_t prev;
};

static void engine_only_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct engine_only_state *state = memory;

    state->tip = tip;
    state->prev = prev;
}

DWCAS_INLINE dwcas_reservation engine_only_reserve(void *state, dwcas_thread *thread,
                                                   uint64_t size)
{
    (void)state;
    (void)thread;
    /* Hides the value, so that the tally is computed and not folded away. */
    __asm__ volatile("" : "+r"(size));
    return (dwcas_reservation){size, size + size, size};
}

static void engine_only_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct engine_only_state *state = memory;

    *tip = state->tip;
    *prev = state->prev;
}

DWCAS_DEFINE_METHOD(engine_only, .name = "engine-only", .kind = DWCAS_KIND_ENGINE, .links = false,
                    .summary = "reserves nothing: the engine's own cost per operation",
                    .source = "this project")
