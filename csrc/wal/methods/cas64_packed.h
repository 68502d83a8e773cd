/* SPDX-License-Identifier: MIT */
/* wal/methods/cas64_packed.h: R8, tip and prev link packed into one 64-bit word.
 *
 * The honest rival of 128 bits: the same atomicity at half the width, on every CPU.
 * Units of 8 bytes: bits 63..27 hold the low 37 bits of the tip (1 TiB before they
 * wrap), bits 26..0 the size of the record before (below 1 GiB); prev = tip - size.
 *
 * The upper bits of the tip come from `base`, a tip of some time ago, which is read after
 * the expected word. If the CAS then succeeds, the word's tip is still the tip, so base was
 * at most that. Whoever finds base more than 64 GiB behind moves it up, so it lags by far
 * less than the 1 TiB that would make it ambiguous. A thread that is suspended between base
 * and CAS while exactly 1 TiB is written could be fooled (ABA): at 35 GB/s that is 30 s
 * asleep, and the size before must match as well.
 * Source: design of the project; PostgreSQL's limits (1020 MiB a record, 8-byte grain). */
#ifndef DWCAS_WAL_METHODS_CAS64_PACKED_H
#define DWCAS_WAL_METHODS_CAS64_PACKED_H

#include "locks/wait.h"
#include "wal/methods/define.h"

enum { GRAIN_BITS = 3, SIZE_BITS = 27, TIP_BITS = 37, BASE_LAG_BITS = 33 };

#define SIZE_MASK ((1ull << SIZE_BITS) - 1)
#define TIP_MASK ((1ull << TIP_BITS) - 1)
#define BASE_LAG (1ull << BASE_LAG_BITS)

struct cas64_packed_state {
    _Alignas(DWCAS_LINE) _Atomic uint64_t word;
    /* On a line of its own: read by every reservation, written every 64 GiB. */
    _Alignas(DWCAS_LINE) _Atomic uint64_t base;
};

static inline uint64_t pack(uint64_t tip, uint64_t size)
{
    return tip << SIZE_BITS | size;
}

static inline uint64_t tip_of(uint64_t word, uint64_t base)
{
    return base + (((word >> SIZE_BITS) - base) & TIP_MASK);
}

static inline void cas64_packed_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct cas64_packed_state *state = memory;

    atomic_store(&state->base, tip >> GRAIN_BITS);
    atomic_store(&state->word, pack(tip >> GRAIN_BITS, (tip - prev) >> GRAIN_BITS));
}

/* One attempt to reserve `units` if the word is *word. After it *word is what is there: what
 * was just written, or what was found instead. The next word is made from the expected one
 * alone, so that the CAS need not wait for the base to be loaded. */
DWCAS_INLINE bool cas64_packed_try(struct cas64_packed_state *state, uint64_t *word,
                                   uint64_t units, dwcas_reservation *reserved)
{
    const uint64_t seen = *word, next = (seen & ~SIZE_MASK) + pack(units, units);
    uint64_t base = atomic_load_explicit(&state->base, memory_order_acquire);
    const uint64_t tip = tip_of(seen, base);

    if (__builtin_expect(!atomic_compare_exchange_strong_explicit(
                             &state->word, word, next, memory_order_acq_rel, memory_order_acquire),
                         0))
        return false;
    *word = next;
    if (__builtin_expect(tip - base > BASE_LAG, 0))
        atomic_compare_exchange_strong(&state->base, &base, tip);
    *reserved = (dwcas_reservation){tip << GRAIN_BITS, (tip + units) << GRAIN_BITS,
                                    (tip - (seen & SIZE_MASK)) << GRAIN_BITS};
    return true;
}

static inline void cas64_packed_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct cas64_packed_state *state = memory;
    const uint64_t word = atomic_load(&state->word);
    const uint64_t units = tip_of(word, atomic_load(&state->base));

    *tip = units << GRAIN_BITS;
    *prev = (units - (word & SIZE_MASK)) << GRAIN_BITS;
}

#endif
