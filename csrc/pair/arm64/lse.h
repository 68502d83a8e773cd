/* SPDX-License-Identifier: MIT */
/* pair/arm64/lse.h: compare-and-swap pair, CASP (FEAT_LSE, HWCAP bit 8).
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
 * store  CASP loop; the seed may tear, harmless: a wrong guess only costs a pass.
 * Source: Arm DDI 0487 CASP; ARM-software/abi-aa atomicsabi64, 128-bit table. */
#ifndef DWCAS_PAIR_ARM64_LSE_H
#define DWCAS_PAIR_ARM64_LSE_H

#include "dwcas/pair.h"

#define LSE_COMPARE_EXCHANGE(function, CASP)                                                      \
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

LSE_COMPARE_EXCHANGE(lse_compare_exchange_relaxed, "casp")
LSE_COMPARE_EXCHANGE(lse_compare_exchange_acquire, "caspa")
LSE_COMPARE_EXCHANGE(lse_compare_exchange_release, "caspl")
LSE_COMPARE_EXCHANGE(lse_compare_exchange_acq_rel, "caspal")

#define LSE_LOAD(function, CASP)                                                                  \
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

LSE_LOAD(lse_load_relaxed, "casp")
LSE_LOAD(lse_load_acquire, "caspa")

#undef LSE_COMPARE_EXCHANGE
#undef LSE_LOAD

/* `order` is a constant at every call, so one branch of each selection is left. */
static inline bool pair_compare_exchange_lse(dwcas_atomic_pair *object, dwcas_pair expected,
                                             dwcas_pair desired, dwcas_pair *observed,
                                             dwcas_order order)
{
    if (dwcas_order_acquires(order))
        *observed = dwcas_order_releases(order)
                        ? lse_compare_exchange_acq_rel(object, expected, desired)
                        : lse_compare_exchange_acquire(object, expected, desired);
    else
        *observed = dwcas_order_releases(order)
                        ? lse_compare_exchange_release(object, expected, desired)
                        : lse_compare_exchange_relaxed(object, expected, desired);
    return dwcas_pair_equal(*observed, expected);
}

static inline bool pair_compare_and_set_lse(dwcas_atomic_pair *object, dwcas_pair expected,
                                            dwcas_pair desired, dwcas_order order)
{
    dwcas_pair observed;

    return pair_compare_exchange_lse(object, expected, desired, &observed, order);
}

static inline dwcas_pair pair_load_lse(dwcas_atomic_pair *object, dwcas_order order)
{
    return dwcas_order_acquires(order) ? lse_load_acquire(object) : lse_load_relaxed(object);
}

static inline dwcas_pair pair_guess_lse(const dwcas_atomic_pair *object)
{
    return (dwcas_pair){__atomic_load_n(&object->lo, __ATOMIC_RELAXED),
                        __atomic_load_n(&object->hi, __ATOMIC_RELAXED)};
}

static inline void pair_store_lse(dwcas_atomic_pair *object, dwcas_pair desired, dwcas_order order)
{
    dwcas_pair expected = pair_guess_lse(object);

    while (!pair_compare_exchange_lse(object, expected, desired, &expected, order)) {
    }
}

#endif
