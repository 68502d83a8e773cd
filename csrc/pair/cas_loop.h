/* SPDX-License-Identifier: MIT */
/* pair/cas_loop.h: read-modify-writes by compare_exchange, for backends whose
 * instruction for an operation is the compare-and-swap.
 *
 * The first `old` is two plain loads and may mix two values: then the compare fails and
 * hands out a pair that was really there. Not seeded by CAS(0,0), which costs half as
 * much again and one more exclusive request under contention.
 *
 * The order holds as that of compare_exchange: the last pass, which hits, decides. */
#ifndef DWCAS_PAIR_CAS_LOOP_H
#define DWCAS_PAIR_CAS_LOOP_H

#include "pair/halves.h"
#include "pair/values.h"

#define FETCH(name)                                                                               \
    static inline dwcas_pair cas_loop_##name(dwcas_atomic_pair *object, dwcas_pair operand,       \
                                             dwcas_order order)                                   \
    {                                                                                             \
        dwcas_pair old = pair_guess(object);                                                      \
                                                                                                  \
        while (!pair_compare_exchange(object, old, pair_new_##name(old, operand), &old, order)) { \
        }                                                                                         \
        return old;                                                                               \
    }
#include "dwcas/operations.def"
#undef FETCH

static inline void cas_loop_store(dwcas_atomic_pair *object, dwcas_pair desired, dwcas_order order)
{
    (void)cas_loop_exchange(object, desired, order);
}

#endif
