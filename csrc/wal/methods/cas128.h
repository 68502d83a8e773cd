/* SPDX-License-Identifier: MIT */
/* wal/methods/cas128.h: R3, the pair {tip, prev} moved by one 16-byte CAS.
 *
 * lo = tip, hi = start of the record before. A reservation of `size` moves {tip, prev}
 * to {tip + size, tip} and hands out start = tip and prev. Lock-free, not wait-free.
 * ABA cannot happen: the tip only grows.
 *
 * The first expected pair is a guess by two 8-byte loads; if they tear, the CAS misses
 * and hands out a certified pair. Order: acquire and release, because completion waits
 * rely on what the spinlock's acquire and release gave (PostgreSQL 66d86d4201).
 * Source: openGauss 815a9771f (June 2020), {CurrBytePos, PrevBytePos}. */
#ifndef DWCAS_WAL_METHODS_CAS128_H
#define DWCAS_WAL_METHODS_CAS128_H

#include "locks/wait.h"
#include "wal/methods/define.h"

struct cas128_state {
    /* Alone on its lines: 128 bytes on Kunpeng, and x86-64 prefetches 64-byte lines in pairs. */
    _Alignas(DWCAS_LINE) dwcas_atomic_pair pair;
};

_Static_assert(sizeof(struct cas128_state) == DWCAS_LINE, "the hot pair is alone");

static inline void cas128_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct cas128_state *state = memory;

    pair_store(&state->pair, (dwcas_pair){tip, prev}, DWCAS_SEQ_CST);
}

/* Moves the tip by `total`, the prev link to `last` before its end; returns what they were.
 * `pauses`: hints to the CPU after a failed CAS, before the next. */
DWCAS_INLINE dwcas_pair cas128_move(struct cas128_state *state, dwcas_thread *thread,
                                    uint64_t total, uint64_t last, int pauses)
{
    dwcas_pair seen = pair_guess(&state->pair);

    for (;;) {
        const dwcas_pair next = {seen.lo + total, seen.lo + total - last};

        if (__builtin_expect(pair_compare_exchange(&state->pair, seen, next, &seen, DWCAS_ACQ_REL),
                             1))
            return seen;
        thread->retries++;
        for (int i = 0; i < pauses; i++)
            cpu_relax();
    }
}

DWCAS_INLINE dwcas_reservation cas128_reserve_pausing(void *memory, dwcas_thread *thread,
                                                      uint64_t size, int pauses)
{
    const dwcas_pair seen = cas128_move(memory, thread, size, size, pauses);

    return (dwcas_reservation){seen.lo, seen.lo + size, seen.hi};
}

static inline void cas128_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct cas128_state *state = memory;
    const dwcas_pair pair = pair_load(&state->pair, DWCAS_SEQ_CST);

    *tip = pair.lo;
    *prev = pair.hi;
}

#endif
