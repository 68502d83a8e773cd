/* SPDX-License-Identifier: MIT */
/* wal/methods/cas64_packed.c: R8, tip and prev link packed into one 64-bit word.
 *
 * The honest rival of 128 bits: the same atomicity at half the width, on every CPU.
 * Units of 8 bytes: bits 63..27 hold the low 37 bits of the tip (1 TiB before they
 * wrap), bits 26..0 the size of the record before (below 1 GiB); prev = tip - size.
 *
 * The upper bits of the tip come from `base`, a tip of some time ago. A reader takes the
 * word first and base second; if its CAS then succeeds, nobody moved the tip in between,
 * so base was at most the tip. Whoever finds base more than 64 GiB behind moves it up,
 * so it lags by far less than the 1 TiB that would make it ambiguous. A thread that is
 * suspended between load and CAS while exactly 1 TiB is written could be fooled (ABA):
 * at 35 GB/s that is 30 s asleep, and the size before must match as well.
 * Source: design of the project; PostgreSQL's limits (1020 MiB a record, 8-byte grain). */
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

static uint64_t pack(uint64_t tip, uint64_t size)
{
    return tip << SIZE_BITS | size;
}

static uint64_t tip_of(uint64_t word, uint64_t base)
{
    return base + (((word >> SIZE_BITS) - base) & TIP_MASK);
}

static void cas64_packed_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct cas64_packed_state *state = memory;

    atomic_store(&state->base, tip >> GRAIN_BITS);
    atomic_store(&state->word, pack(tip >> GRAIN_BITS, (tip - prev) >> GRAIN_BITS));
}

DWCAS_INLINE dwcas_reservation cas64_packed_reserve(void *memory, dwcas_thread *thread,
                                                    uint64_t size)
{
    struct cas64_packed_state *state = memory;
    const uint64_t units = size >> GRAIN_BITS;
    uint64_t word = atomic_load_explicit(&state->word, memory_order_acquire);

    for (;;) {
        uint64_t base = atomic_load_explicit(&state->base, memory_order_acquire);
        const uint64_t tip = tip_of(word, base);
        const uint64_t size_before = word & SIZE_MASK;

        if (__builtin_expect(atomic_compare_exchange_strong_explicit(
                                 &state->word, &word, pack(tip + units, units),
                                 memory_order_acq_rel, memory_order_acquire),
                             1)) {
            if (__builtin_expect(tip - base > BASE_LAG, 0))
                atomic_compare_exchange_strong(&state->base, &base, tip);
            return (dwcas_reservation){tip << GRAIN_BITS, (tip + units) << GRAIN_BITS,
                                       (tip - size_before) << GRAIN_BITS};
        }
        thread->retries++;
    }
}

static void cas64_packed_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct cas64_packed_state *state = memory;
    const uint64_t word = atomic_load(&state->word);
    const uint64_t units = tip_of(word, atomic_load(&state->base));

    *tip = units << GRAIN_BITS;
    *prev = (units - (word & SIZE_MASK)) << GRAIN_BITS;
}

DWCAS_DEFINE_METHOD(cas64_packed, .name = "cas64-packed", .kind = DWCAS_KIND_LOCK_FREE,
                    .links = true,
                    .summary = "37 bits of tip and 27 bits of size before in one 8-byte CAS",
                    .source = "R8: the same atomicity in half the width")
