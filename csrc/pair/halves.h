/* SPDX-License-Identifier: MIT */
/* pair/halves.h: 8-byte accesses to one half of a pair.
 *
 * Each is atomic against every 16-byte operation on the pair: those write all 16 bytes
 * at once, and an 8-byte access sees the half before or after (arm64: herdtools litmus
 * tests L056 and L057; x86-64: a locked operation owns the whole line). What is not
 * promised is an order between an 8-byte and a 16-byte access of one thread to the same
 * pair beyond what the stated orders give: mixed sizes are outside most models.
 *
 * The compiler's 8-byte builtins do it; each backend's compiler flags decide what they
 * become on arm64: LL/SC loops or LSE instructions. */
#ifndef DWCAS_PAIR_HALVES_H
#define DWCAS_PAIR_HALVES_H

#include "dwcas/pair.h"

/* Two reads: may mix two values, so it is good only as the `expected` of a CAS. */
static inline dwcas_pair pair_guess(const dwcas_atomic_pair *object)
{
    return (dwcas_pair){__atomic_load_n(&object->lo, __ATOMIC_RELAXED),
                        __atomic_load_n(&object->hi, __ATOMIC_RELAXED)};
}

#define HALF_OPERATIONS(half)                                                                     \
    static inline uint64_t pair_load_##half(const dwcas_atomic_pair *object, dwcas_order order)   \
    {                                                                                             \
        return order == DWCAS_SEQ_CST   ? __atomic_load_n(&object->half, __ATOMIC_SEQ_CST)        \
               : order == DWCAS_ACQUIRE ? __atomic_load_n(&object->half, __ATOMIC_ACQUIRE)        \
                                        : __atomic_load_n(&object->half, __ATOMIC_RELAXED);       \
    }                                                                                             \
    static inline uint64_t pair_fetch_add_##half(dwcas_atomic_pair *object, uint64_t operand,     \
                                                 dwcas_order order)                               \
    {                                                                                             \
        switch (order) {                                                                          \
        case DWCAS_RELAXED:                                                                       \
            return __atomic_fetch_add(&object->half, operand, __ATOMIC_RELAXED);                  \
        case DWCAS_ACQUIRE:                                                                       \
            return __atomic_fetch_add(&object->half, operand, __ATOMIC_ACQUIRE);                  \
        case DWCAS_RELEASE:                                                                       \
            return __atomic_fetch_add(&object->half, operand, __ATOMIC_RELEASE);                  \
        case DWCAS_ACQ_REL:                                                                       \
            return __atomic_fetch_add(&object->half, operand, __ATOMIC_ACQ_REL);                  \
        default:                                                                                  \
            return __atomic_fetch_add(&object->half, operand, __ATOMIC_SEQ_CST);                  \
        }                                                                                         \
    }

HALF_OPERATIONS(lo)
HALF_OPERATIONS(hi)
#undef HALF_OPERATIONS

#endif
