/* SPDX-License-Identifier: MIT */
/* pair/arm64/casp.h: compare-and-swap pair, CASP (FEAT_LSE, HWCAP bit 8).
 *
 * CASP is one 16-byte read-modify-write on a hit and on a miss, so the pair it returns
 * is certified and no store-back is needed. It needs a writable page even on a miss.
 * Each pair of registers must start at an even number (UNDEFINED otherwise); they are
 * pinned, because an allocator once picked an odd one (gcc 7.5).
 *
 * Order: A for acquire (holds on a miss too), L for release (only if it writes).
 * load   CASP with the compare and the new pair in the same registers: memory keeps
 *        its value whatever they hold. The result is used, so it never becomes a
 *        store-only form that a load barrier would not order.
 * Source: Arm DDI 0487 CASP; ARM-software/abi-aa atomicsabi64, 128-bit table. */
#ifndef DWCAS_PAIR_ARM64_CASP_H
#define DWCAS_PAIR_ARM64_CASP_H

#include "dwcas/pair.h"

#define CASP_COMPARE_EXCHANGE(function, CASP)                                                     \
    static inline dwcas_pair function(dwcas_atomic_pair *object, dwcas_pair expected,             \
                                      dwcas_pair desired)                                         \
    {                                                                                             \
        register uint64_t lo __asm__("x6") = expected.lo;                                         \
        register uint64_t hi __asm__("x7") = expected.hi;                                         \
        register uint64_t desired_lo __asm__("x8") = desired.lo;                                  \
        register uint64_t desired_hi __asm__("x9") = desired.hi;                                  \
                                                                                                  \
        __asm__ volatile(".arch_extension lse\n\t" CASP                                           \
                         " %[lo], %[hi], %[desired_lo], %[desired_hi], %[object]"                 \
                         : [object] "+Q"(*object), [lo] "+r"(lo), [hi] "+r"(hi)                   \
                         : [desired_lo] "r"(desired_lo), [desired_hi] "r"(desired_hi)             \
                         : "memory");                                                             \
        return (dwcas_pair){lo, hi};                                                              \
    }

CASP_COMPARE_EXCHANGE(casp_compare_exchange_relaxed, "casp")
CASP_COMPARE_EXCHANGE(casp_compare_exchange_acquire, "caspa")
CASP_COMPARE_EXCHANGE(casp_compare_exchange_release, "caspl")
CASP_COMPARE_EXCHANGE(casp_compare_exchange_acq_rel, "caspal")

#define CASP_LOAD(function, CASP)                                                                 \
    static inline dwcas_pair function(dwcas_atomic_pair *object)                                  \
    {                                                                                             \
        register uint64_t lo __asm__("x6") = 0;                                                   \
        register uint64_t hi __asm__("x7") = 0;                                                   \
                                                                                                  \
        __asm__ volatile(".arch_extension lse\n\t" CASP " %[lo], %[hi], %[lo], %[hi], %[object]"  \
                         : [object] "+Q"(*object), [lo] "+r"(lo), [hi] "+r"(hi)                   \
                         :                                                                        \
                         : "memory");                                                             \
        return (dwcas_pair){lo, hi};                                                              \
    }

CASP_LOAD(casp_load_relaxed, "casp")
CASP_LOAD(casp_load_acquire, "caspa")

#undef CASP_COMPARE_EXCHANGE
#undef CASP_LOAD

/* `order` is a constant at every call, so one branch of each selection is left. */
static inline bool casp_compare_exchange(dwcas_atomic_pair *object, dwcas_pair expected,
                                         dwcas_pair desired, dwcas_pair *observed,
                                         dwcas_order order)
{
    if (dwcas_order_acquires(order))
        *observed = dwcas_order_releases(order)
                        ? casp_compare_exchange_acq_rel(object, expected, desired)
                        : casp_compare_exchange_acquire(object, expected, desired);
    else
        *observed = dwcas_order_releases(order)
                        ? casp_compare_exchange_release(object, expected, desired)
                        : casp_compare_exchange_relaxed(object, expected, desired);
    return dwcas_pair_equal(*observed, expected);
}

static inline bool casp_compare_and_set(dwcas_atomic_pair *object, dwcas_pair expected,
                                        dwcas_pair desired, dwcas_order order)
{
    dwcas_pair observed;

    return casp_compare_exchange(object, expected, desired, &observed, order);
}

static inline dwcas_pair casp_load(dwcas_atomic_pair *object, dwcas_order order)
{
    return dwcas_order_acquires(order) ? casp_load_acquire(object) : casp_load_relaxed(object);
}

#endif
