/* SPDX-License-Identifier: MIT */
/* pair/arm64/ldxp.h: load-exclusive and store-exclusive pairs, on every Armv8.0 CPU.
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
#ifndef DWCAS_PAIR_ARM64_LDXP_H
#define DWCAS_PAIR_ARM64_LDXP_H

#include "dwcas/pair.h"

#define LDXP_COMPARE_EXCHANGE(function, LDXP, STXP)                                               \
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

LDXP_COMPARE_EXCHANGE(ldxp_compare_exchange_relaxed, "ldxp", "stxp")
LDXP_COMPARE_EXCHANGE(ldxp_compare_exchange_acquire, "ldaxp", "stxp")
LDXP_COMPARE_EXCHANGE(ldxp_compare_exchange_release, "ldxp", "stlxp")
LDXP_COMPARE_EXCHANGE(ldxp_compare_exchange_acq_rel, "ldaxp", "stlxp")

#define LDXP_COMPARE_AND_SET(function, LDXP, STXP)                                                \
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

LDXP_COMPARE_AND_SET(ldxp_compare_and_set_relaxed, "ldxp", "stxp")
LDXP_COMPARE_AND_SET(ldxp_compare_and_set_acquire, "ldaxp", "stxp")
LDXP_COMPARE_AND_SET(ldxp_compare_and_set_release, "ldxp", "stlxp")
LDXP_COMPARE_AND_SET(ldxp_compare_and_set_acq_rel, "ldaxp", "stlxp")

#define LDXP_LOAD(function, LDXP)                                                                 \
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

LDXP_LOAD(ldxp_load_relaxed, "ldxp")
LDXP_LOAD(ldxp_load_acquire, "ldaxp")

#define LDXP_STORE(function, LDXP, STXP)                                                          \
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

LDXP_STORE(ldxp_store_relaxed, "ldxp", "stxp")
LDXP_STORE(ldxp_store_release, "ldxp", "stlxp")
LDXP_STORE(ldxp_store_seq_cst, "ldaxp", "stlxp")

#undef LDXP_COMPARE_EXCHANGE
#undef LDXP_COMPARE_AND_SET
#undef LDXP_LOAD
#undef LDXP_STORE

/* `order` is a constant at every call, so one branch of each selection is left. */
static inline bool ldxp_compare_exchange(dwcas_atomic_pair *object, dwcas_pair expected,
                                         dwcas_pair desired, dwcas_pair *observed,
                                         dwcas_order order)
{
    if (dwcas_order_acquires(order))
        return dwcas_order_releases(order)
                   ? ldxp_compare_exchange_acq_rel(object, expected, desired, observed)
                   : ldxp_compare_exchange_acquire(object, expected, desired, observed);
    return dwcas_order_releases(order)
               ? ldxp_compare_exchange_release(object, expected, desired, observed)
               : ldxp_compare_exchange_relaxed(object, expected, desired, observed);
}

static inline bool ldxp_compare_and_set(dwcas_atomic_pair *object, dwcas_pair expected,
                                        dwcas_pair desired, dwcas_order order)
{
    if (dwcas_order_acquires(order))
        return dwcas_order_releases(order)
                   ? ldxp_compare_and_set_acq_rel(object, expected, desired)
                   : ldxp_compare_and_set_acquire(object, expected, desired);
    return dwcas_order_releases(order) ? ldxp_compare_and_set_release(object, expected, desired)
                                       : ldxp_compare_and_set_relaxed(object, expected, desired);
}

static inline dwcas_pair ldxp_load(dwcas_atomic_pair *object, dwcas_order order)
{
    return dwcas_order_acquires(order) ? ldxp_load_acquire(object) : ldxp_load_relaxed(object);
}

static inline void ldxp_store(dwcas_atomic_pair *object, dwcas_pair desired, dwcas_order order)
{
    if (order == DWCAS_SEQ_CST)
        ldxp_store_seq_cst(object, desired);
    else if (dwcas_order_releases(order))
        ldxp_store_release(object, desired);
    else
        ldxp_store_relaxed(object, desired);
}

/* Read-modify-writes: `compute` makes new_lo and new_hi from lo, hi and the operand, in
 * scratch, so that the old pair is left to return and each pass starts from inputs. */
#define LDXP_FETCH(name, suffix, LDXP, STXP, compute)                                             \
    static inline dwcas_pair ldxp_##name##_##suffix(dwcas_atomic_pair *object,                    \
                                                    dwcas_pair operand)                           \
    {                                                                                             \
        dwcas_pair old, new;                                                                      \
        uint32_t status;                                                                          \
                                                                                                  \
        __asm__ volatile("1: " LDXP " %[lo], %[hi], %[object]\n\t" compute STXP                   \
                         " %w[status], %[new_lo], %[new_hi], %[object]\n\t"                       \
                         "cbnz %w[status], 1b"                                                    \
                         : [object] "+Q"(*object), [lo] "=&r"(old.lo), [hi] "=&r"(old.hi),        \
                           [new_lo] "=&r"(new.lo), [new_hi] "=&r"(new.hi), [status] "=&r"(status) \
                         : [operand_lo] "r"(operand.lo), [operand_hi] "r"(operand.hi)             \
                         : "cc", "memory");                                                       \
        return old;                                                                               \
    }

/* `order` is a constant at every call, so one branch is left. */
#define LDXP_EVERY_ORDER(name, compute)                                                           \
    LDXP_FETCH(name, relaxed, "ldxp", "stxp", compute)                                            \
    LDXP_FETCH(name, acquire, "ldaxp", "stxp", compute)                                           \
    LDXP_FETCH(name, release, "ldxp", "stlxp", compute)                                           \
    LDXP_FETCH(name, acq_rel, "ldaxp", "stlxp", compute)                                          \
    static inline dwcas_pair ldxp_##name(dwcas_atomic_pair *object, dwcas_pair operand,           \
                                         dwcas_order order)                                       \
    {                                                                                             \
        if (dwcas_order_acquires(order))                                                          \
            return dwcas_order_releases(order) ? ldxp_##name##_acq_rel(object, operand)           \
                                               : ldxp_##name##_acquire(object, operand);          \
        return dwcas_order_releases(order) ? ldxp_##name##_release(object, operand)               \
                                           : ldxp_##name##_relaxed(object, operand);              \
    }

#define LDXP_HALVES(lo_instruction, hi_instruction)                                               \
    lo_instruction " %[new_lo], %[lo], %[operand_lo]\n\t" hi_instruction                          \
                   " %[new_hi], %[hi], %[operand_hi]\n\t"

/* Keep the old pair if `condition` holds after old - operand, else take the operand. */
#define LDXP_SELECT(condition)                                                                    \
    "cmp  %[lo], %[operand_lo]\n\t"                                                               \
    "sbcs xzr, %[hi], %[operand_hi]\n\t"                                                          \
    "csel %[new_lo], %[lo], %[operand_lo], " condition "\n\t"                                     \
    "csel %[new_hi], %[hi], %[operand_hi], " condition "\n\t"

LDXP_EVERY_ORDER(exchange, "mov %[new_lo], %[operand_lo]\n\tmov %[new_hi], %[operand_hi]\n\t")
LDXP_EVERY_ORDER(fetch_add, LDXP_HALVES("adds", "adc"))
LDXP_EVERY_ORDER(fetch_sub, LDXP_HALVES("subs", "sbc"))
LDXP_EVERY_ORDER(fetch_add_lanes, LDXP_HALVES("add", "add"))
LDXP_EVERY_ORDER(fetch_and, LDXP_HALVES("and", "and"))
LDXP_EVERY_ORDER(fetch_or, LDXP_HALVES("orr", "orr"))
LDXP_EVERY_ORDER(fetch_xor, LDXP_HALVES("eor", "eor"))
LDXP_EVERY_ORDER(fetch_nand,
                 LDXP_HALVES("and",
                             "and") "mvn %[new_lo], %[new_lo]\n\tmvn %[new_hi], %[new_hi]\n\t")
LDXP_EVERY_ORDER(fetch_max, LDXP_SELECT("hs"))
LDXP_EVERY_ORDER(fetch_min, LDXP_SELECT("lo"))
LDXP_EVERY_ORDER(fetch_max_signed, LDXP_SELECT("ge"))
LDXP_EVERY_ORDER(fetch_min_signed, LDXP_SELECT("lt"))
LDXP_EVERY_ORDER(exchange_lo_add_hi, "mov %[new_lo], %[operand_lo]\n\t"
                                     "add %[new_hi], %[hi], %[operand_hi]\n\t")

#undef LDXP_FETCH
#undef LDXP_EVERY_ORDER
#undef LDXP_HALVES
#undef LDXP_SELECT

#endif
