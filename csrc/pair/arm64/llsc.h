/* SPDX-License-Identifier: MIT */
/* pair/arm64/llsc.h: load-exclusive and store-exclusive pairs, on every Armv8.0 CPU.
 *
 * A 64-bit LDXP is two 8-byte reads and may tear; only a STXP that succeeds certifies
 * the pair. Every operation that hands a pair out therefore ends in a successful STXP:
 * of the new pair on a match, of the observed pair otherwise (one STXP of a selection,
 * as in Arm's atomics ABI). compare_and_set hands nothing out and leaves a mismatch at
 * once: had both halves been as expected at their reads, there would be no mismatch.
 *
 * Order: acquire makes the load LDAXP, release makes the store STLXP. LDAXP + STLXP is
 * acquire and release but not a full barrier: an earlier store and a later load to
 * other places may still pass each other; seq_cst means C11's order among seq_cst
 * operations. A store and a load go through the same loop.
 *
 * Between the two halves stand only compares and selects: no memory access, no call, so
 * the reservation can be kept (DDI 0487 B2.12.5). A STXP may fail for no reason, so each
 * pass recomputes from inputs that it does not change. Outputs are early-clobber: they
 * are written before the last input is read on a retry. "+Q"(*object) spans 16 bytes.
 * Source: Arm DDI 0487 B2.12, LDXP, STXP; ARM-software/abi-aa atomicsabi64, 128-bit table. */
#ifndef DWCAS_PAIR_ARM64_LLSC_H
#define DWCAS_PAIR_ARM64_LLSC_H

#include "dwcas/pair.h"

#define LLSC_COMPARE_EXCHANGE(function, LDXP, STXP)                                               \
    static inline bool function(dwcas_atomic_pair *object, dwcas_pair expected,                   \
                                dwcas_pair desired, dwcas_pair *observed)                         \
    {                                                                                             \
        uint64_t lo, hi, new_lo, new_hi;                                                          \
        uint32_t status;                                                                          \
                                                                                                  \
        __asm__ volatile("1: " LDXP " %[lo], %[hi], %[object]\n\t"                                \
                         "cmp  %[lo], %[expected_lo]\n\t"                                         \
                         "ccmp %[hi], %[expected_hi], #0, eq\n\t"                                 \
                         "csel %[new_lo], %[desired_lo], %[lo], eq\n\t"                           \
                         "csel %[new_hi], %[desired_hi], %[hi], eq\n\t" STXP                      \
                         " %w[status], %[new_lo], %[new_hi], %[object]\n\t"                       \
                         "cbnz %w[status], 1b\n\t"                                                \
                         "cset %w[status], eq"                                                    \
                         : [object] "+Q"(*object), [lo] "=&r"(lo), [hi] "=&r"(hi),                \
                           [new_lo] "=&r"(new_lo), [new_hi] "=&r"(new_hi), [status] "=&r"(status) \
                         : [expected_lo] "r"(expected.lo), [expected_hi] "r"(expected.hi),        \
                           [desired_lo] "r"(desired.lo), [desired_hi] "r"(desired.hi)             \
                         : "cc", "memory");                                                       \
        *observed = (dwcas_pair){lo, hi};                                                         \
        return status;                                                                            \
    }

LLSC_COMPARE_EXCHANGE(llsc_compare_exchange_relaxed, "ldxp", "stxp")
LLSC_COMPARE_EXCHANGE(llsc_compare_exchange_acquire, "ldaxp", "stxp")
LLSC_COMPARE_EXCHANGE(llsc_compare_exchange_release, "ldxp", "stlxp")
LLSC_COMPARE_EXCHANGE(llsc_compare_exchange_acq_rel, "ldaxp", "stlxp")

#define LLSC_COMPARE_AND_SET(function, LDXP, STXP)                                                \
    static inline bool function(dwcas_atomic_pair *object, dwcas_pair expected,                   \
                                dwcas_pair desired)                                               \
    {                                                                                             \
        uint64_t lo, hi;                                                                          \
        uint32_t status;                                                                          \
                                                                                                  \
        __asm__ volatile(                                                                         \
            "1: " LDXP " %[lo], %[hi], %[object]\n\t"                                             \
            "cmp  %[lo], %[expected_lo]\n\t"                                                      \
            "ccmp %[hi], %[expected_hi], #0, eq\n\t"                                              \
            "b.ne 2f\n\t" STXP " %w[status], %[desired_lo], %[desired_hi], %[object]\n\t"         \
            "cbnz %w[status], 1b\n"                                                               \
            "2: cset %w[status], eq"                                                              \
            : [object] "+Q"(*object), [lo] "=&r"(lo), [hi] "=&r"(hi), [status] "=&r"(status)      \
            : [expected_lo] "r"(expected.lo), [expected_hi] "r"(expected.hi),                     \
              [desired_lo] "r"(desired.lo), [desired_hi] "r"(desired.hi)                          \
            : "cc", "memory");                                                                    \
        return status;                                                                            \
    }

LLSC_COMPARE_AND_SET(llsc_compare_and_set_relaxed, "ldxp", "stxp")
LLSC_COMPARE_AND_SET(llsc_compare_and_set_acquire, "ldaxp", "stxp")
LLSC_COMPARE_AND_SET(llsc_compare_and_set_release, "ldxp", "stlxp")
LLSC_COMPARE_AND_SET(llsc_compare_and_set_acq_rel, "ldaxp", "stlxp")

#define LLSC_LOAD(function, LDXP)                                                                 \
    static inline dwcas_pair function(dwcas_atomic_pair *object)                                  \
    {                                                                                             \
        dwcas_pair observed;                                                                      \
        uint32_t status;                                                                          \
                                                                                                  \
        __asm__ volatile("1: " LDXP " %[lo], %[hi], %[object]\n\t"                                \
                         "stxp %w[status], %[lo], %[hi], %[object]\n\t"                           \
                         "cbnz %w[status], 1b"                                                    \
                         : [object] "+Q"(*object), [lo] "=&r"(observed.lo),                       \
                           [hi] "=&r"(observed.hi), [status] "=&r"(status)                        \
                         :                                                                        \
                         : "memory");                                                             \
        return observed;                                                                          \
    }

LLSC_LOAD(llsc_load_relaxed, "ldxp")
LLSC_LOAD(llsc_load_acquire, "ldaxp")

#define LLSC_STORE(function, LDXP, STXP)                                                          \
    static inline void function(dwcas_atomic_pair *object, dwcas_pair desired)                    \
    {                                                                                             \
        uint64_t lo, hi;                                                                          \
        uint32_t status;                                                                          \
                                                                                                  \
        __asm__ volatile(                                                                         \
            "1: " LDXP " %[lo], %[hi], %[object]\n\t" STXP                                        \
            " %w[status], %[desired_lo], %[desired_hi], %[object]\n\t"                            \
            "cbnz %w[status], 1b"                                                                 \
            : [object] "+Q"(*object), [lo] "=&r"(lo), [hi] "=&r"(hi), [status] "=&r"(status)      \
            : [desired_lo] "r"(desired.lo), [desired_hi] "r"(desired.hi)                          \
            : "memory");                                                                          \
    }

LLSC_STORE(llsc_store_relaxed, "ldxp", "stxp")
LLSC_STORE(llsc_store_release, "ldxp", "stlxp")
LLSC_STORE(llsc_store_seq_cst, "ldaxp", "stlxp")

#undef LLSC_COMPARE_EXCHANGE
#undef LLSC_COMPARE_AND_SET
#undef LLSC_LOAD
#undef LLSC_STORE

/* `order` is a constant at every call, so one branch of each selection is left. */
static inline bool pair_compare_exchange_llsc(dwcas_atomic_pair *object, dwcas_pair expected,
                                              dwcas_pair desired, dwcas_pair *observed,
                                              dwcas_order order)
{
    if (dwcas_order_acquires(order))
        return dwcas_order_releases(order)
                   ? llsc_compare_exchange_acq_rel(object, expected, desired, observed)
                   : llsc_compare_exchange_acquire(object, expected, desired, observed);
    return dwcas_order_releases(order)
               ? llsc_compare_exchange_release(object, expected, desired, observed)
               : llsc_compare_exchange_relaxed(object, expected, desired, observed);
}

static inline bool pair_compare_and_set_llsc(dwcas_atomic_pair *object, dwcas_pair expected,
                                             dwcas_pair desired, dwcas_order order)
{
    if (dwcas_order_acquires(order))
        return dwcas_order_releases(order)
                   ? llsc_compare_and_set_acq_rel(object, expected, desired)
                   : llsc_compare_and_set_acquire(object, expected, desired);
    return dwcas_order_releases(order) ? llsc_compare_and_set_release(object, expected, desired)
                                       : llsc_compare_and_set_relaxed(object, expected, desired);
}

static inline dwcas_pair pair_load_llsc(dwcas_atomic_pair *object, dwcas_order order)
{
    return dwcas_order_acquires(order) ? llsc_load_acquire(object) : llsc_load_relaxed(object);
}

static inline dwcas_pair pair_guess_llsc(const dwcas_atomic_pair *object)
{
    return (dwcas_pair){__atomic_load_n(&object->lo, __ATOMIC_RELAXED),
                        __atomic_load_n(&object->hi, __ATOMIC_RELAXED)};
}

static inline void pair_store_llsc(dwcas_atomic_pair *object, dwcas_pair desired,
                                   dwcas_order order)
{
    if (order == DWCAS_SEQ_CST)
        llsc_store_seq_cst(object, desired);
    else if (dwcas_order_releases(order))
        llsc_store_release(object, desired);
    else
        llsc_store_relaxed(object, desired);
}

#endif
