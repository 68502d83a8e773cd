/* SPDX-License-Identifier: MIT */
/* wal/methods/broken/gap.h: methods that are wrong on purpose, so that the oracle can be
 * seen to catch them. Each has a gap in which another thread may come between; one call in
 * 64 gives up the CPU there, so that the fault shows even on one CPU. Which one is drawn:
 * with two gaps in an operation, each has its turn. */
#ifndef DWCAS_WAL_METHODS_BROKEN_GAP_H
#define DWCAS_WAL_METHODS_BROKEN_GAP_H

#include "locks/wait.h"
#include "wal/methods/define.h"

DWCAS_INLINE void gap(dwcas_thread *thread)
{
    if (thread_random(thread) % 64 == 0)
        give_up_cpu();
}

struct two_words_state {
    _Alignas(DWCAS_LINE) _Atomic uint64_t tip;
    _Atomic uint64_t prev;
};

static inline void two_words_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct two_words_state *state = memory;

    atomic_store(&state->tip, tip);
    atomic_store(&state->prev, prev);
}

static inline void two_words_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct two_words_state *state = memory;

    *tip = atomic_load(&state->tip);
    *prev = atomic_load(&state->prev);
}

#endif
