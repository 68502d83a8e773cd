/* SPDX-License-Identifier: MIT */
/* pair/batches.c: the loops of batches.h for one backend. */
#include "pair/batches.h"

#include "engine/clock.h"
#include "pair/selected.h"

#include <string.h>

/* Results go through a block that stays in the first-level cache: a locked instruction waits
 * until the stores before it are visible, and stores straight into a long array would be
 * waiting for its lines each time (measured: 11 to 20 ns per element instead of 7). */
enum { BLOCK = 64 };

static inline size_t block_at(size_t first, size_t count)
{
    return count - first < BLOCK ? count - first : BLOCK;
}

#define LOAD_BATCH(suffix, order)                                                                 \
    static void load_##suffix(const dwcas_cells *cells, dwcas_pair *values)                       \
    {                                                                                             \
        const dwcas_cells at = *cells;                                                            \
        dwcas_pair block[BLOCK];                                                                  \
                                                                                                  \
        for (size_t first = 0; first < at.count; first += BLOCK) {                                \
            const size_t n = block_at(first, at.count);                                           \
                                                                                                  \
            for (size_t i = 0; i < n; i++)                                                        \
                block[i] = pair_load(cell_at(&at, first + i), order);                             \
            memcpy(values + first, block, n * sizeof *block);                                     \
        }                                                                                         \
    }

#define COMPARE_BATCH(suffix, order)                                                              \
    static void compare_exchange_##suffix(const dwcas_cells *cells, const dwcas_pair *expected,   \
                                          const dwcas_pair *desired, dwcas_pair *observed,        \
                                          bool *ok)                                               \
    {                                                                                             \
        const dwcas_cells at = *cells;                                                            \
        dwcas_pair block[BLOCK];                                                                  \
        bool hits[BLOCK];                                                                         \
                                                                                                  \
        for (size_t first = 0; first < at.count; first += BLOCK) {                                \
            const size_t n = block_at(first, at.count);                                           \
                                                                                                  \
            for (size_t i = 0; i < n; i++)                                                        \
                hits[i] = pair_compare_exchange(cell_at(&at, first + i), expected[first + i],     \
                                                desired[first + i], &block[i], order);            \
            memcpy(observed + first, block, n * sizeof *block);                                   \
            memcpy(ok + first, hits, n * sizeof *hits);                                           \
        }                                                                                         \
    }

#define FETCH_BATCH(name, suffix, order)                                                          \
    static void name##_##suffix(const dwcas_cells *cells, const dwcas_pair *operands,             \
                                dwcas_pair *old)                                                  \
    {                                                                                             \
        const dwcas_cells at = *cells;                                                            \
        dwcas_pair block[BLOCK];                                                                  \
                                                                                                  \
        for (size_t first = 0; first < at.count; first += BLOCK) {                                \
            const size_t n = block_at(first, at.count);                                           \
                                                                                                  \
            for (size_t i = 0; i < n; i++)                                                        \
                block[i] = PAIR_FETCH(name)(cell_at(&at, first + i), operands[first + i], order); \
            memcpy(old + first, block, n * sizeof *block);                                        \
        }                                                                                         \
    }

LOAD_BATCH(relaxed, DWCAS_RELAXED)
LOAD_BATCH(acquire, DWCAS_ACQUIRE)
LOAD_BATCH(seq_cst, DWCAS_SEQ_CST)
COMPARE_BATCH(relaxed, DWCAS_RELAXED)
COMPARE_BATCH(acquire, DWCAS_ACQUIRE)
COMPARE_BATCH(release, DWCAS_RELEASE)
COMPARE_BATCH(acq_rel, DWCAS_ACQ_REL)
COMPARE_BATCH(seq_cst, DWCAS_SEQ_CST)
#define FETCH(name)                                                                               \
    FETCH_BATCH(name, relaxed, DWCAS_RELAXED)                                                     \
    FETCH_BATCH(name, acquire, DWCAS_ACQUIRE)                                                     \
    FETCH_BATCH(name, release, DWCAS_RELEASE)                                                     \
    FETCH_BATCH(name, acq_rel, DWCAS_ACQ_REL)                                                     \
    FETCH_BATCH(name, seq_cst, DWCAS_SEQ_CST)
#include "dwcas/operations.def"
#undef FETCH

static uint64_t bare_cas_ns(uint64_t operations)
{
    static dwcas_atomic_pair object;
    dwcas_pair seen = pair_load(&object, DWCAS_RELAXED);
    const uint64_t begin = clock_ns();

    for (uint64_t i = 0; i < operations; i++) {
        const dwcas_pair next = {seen.lo + 1, seen.hi + 2};

        if (pair_compare_exchange(&object, seen, next, &seen, DWCAS_SEQ_CST))
            seen = next;
    }
    return clock_ns() - begin;
}

#define BY_ORDER(name)                                                                            \
    {                                                                                             \
        [DWCAS_RELAXED] = name##_relaxed, [DWCAS_ACQUIRE] = name##_acquire,                       \
        [DWCAS_RELEASE] = name##_release, [DWCAS_ACQ_REL] = name##_acq_rel,                       \
        [DWCAS_SEQ_CST] = name##_seq_cst,                                                         \
    }

extern const dwcas_pair_batches OF_BACKEND(dwcas_pair_batches);
const dwcas_pair_batches OF_BACKEND(dwcas_pair_batches) = {
    .load =
        {
            [DWCAS_RELAXED] = load_relaxed,
            [DWCAS_ACQUIRE] = load_acquire,
            [DWCAS_SEQ_CST] = load_seq_cst,
        },
    .fetch =
        {
#define FETCH(name) [DWCAS_##name] = BY_ORDER(name),
#include "dwcas/operations.def"
#undef FETCH
        },
    .compare_exchange = BY_ORDER(compare_exchange),
    .bare_cas_ns = bare_cas_ns,
};
