/* SPDX-License-Identifier: MIT */
/* pair/arm64/swpp.h: one instruction each for exchange, or, and (FEAT_LSE128, HWCAP2 bit
 * 47): SWPP, LDSETP, LDCLRP, wait-free. There is none for add, xor, min, max, compare.
 *
 * LDCLRP clears the bits that its operand names, so fetch_and inverts the mask, in both
 * halves: GCC's libatomic once forgot one (167637297f0d).
 * The two data registers take the old pair and may not be the zero register (UNDEFINED);
 * so a store keeps them as scratch and the access stays a load that barriers order.
 * Order: A for acquire, L for release; one of the two words of each suffix below.
 * Assemblers of 2024 do not know the instructions: they are words, so the registers are
 * pinned: OP x6, x7, [x8].
 * Source: Arm DDI 0487 SWPP, LDSETP, LDCLRP; ARM-software/abi-aa atomicsabi64. */
#ifndef DWCAS_PAIR_ARM64_SWPP_H
#define DWCAS_PAIR_ARM64_SWPP_H

#include "pair/arm64/ldp.h"

#define LSE128(function, word)                                                                    \
    static inline dwcas_pair function(dwcas_atomic_pair *object, dwcas_pair operand)              \
    {                                                                                             \
        register uint64_t lo __asm__("x6") = operand.lo;                                          \
        register uint64_t hi __asm__("x7") = operand.hi;                                          \
        register dwcas_atomic_pair *address __asm__("x8") = object;                               \
                                                                                                  \
        __asm__ volatile(".inst " word                                                            \
                         : "+m"(*object), [lo] "+r"(lo), [hi] "+r"(hi)                            \
                         : [address] "r"(address)                                                 \
                         : "memory");                                                             \
        return (dwcas_pair){lo, hi};                                                              \
    }

/* A = bit 23, R = bit 22; Rt2 << 16 | Rn << 5 | Rt. */
LSE128(swpp_relaxed, "0x19278106")
LSE128(swpp_acquire, "0x19a78106")
LSE128(swpp_release, "0x19678106")
LSE128(swpp_acq_rel, "0x19e78106")
LSE128(ldsetp_relaxed, "0x19273106")
LSE128(ldsetp_acquire, "0x19a73106")
LSE128(ldsetp_release, "0x19673106")
LSE128(ldsetp_acq_rel, "0x19e73106")
LSE128(ldclrp_relaxed, "0x19271106")
LSE128(ldclrp_acquire, "0x19a71106")
LSE128(ldclrp_release, "0x19671106")
LSE128(ldclrp_acq_rel, "0x19e71106")
#undef LSE128

/* `order` is a constant at every call, so one branch is left. */
#define LSE128_BY_ORDER(function, instruction)                                                    \
    static inline dwcas_pair function(dwcas_atomic_pair *object, dwcas_pair operand,              \
                                      dwcas_order order)                                          \
    {                                                                                             \
        if (dwcas_order_acquires(order))                                                          \
            return dwcas_order_releases(order) ? instruction##_acq_rel(object, operand)           \
                                               : instruction##_acquire(object, operand);          \
        return dwcas_order_releases(order) ? instruction##_release(object, operand)               \
                                           : instruction##_relaxed(object, operand);              \
    }

LSE128_BY_ORDER(swpp_exchange, swpp)
LSE128_BY_ORDER(ldsetp_fetch_or, ldsetp)
LSE128_BY_ORDER(ldclrp_clear, ldclrp)
#undef LSE128_BY_ORDER

static inline dwcas_pair ldclrp_fetch_and(dwcas_atomic_pair *object, dwcas_pair operand,
                                          dwcas_order order)
{
    return ldclrp_clear(object, (dwcas_pair){~operand.lo, ~operand.hi}, order);
}

/* A release store by SWPPL, a seq_cst store by SWPPAL; a relaxed one is STP. */
static inline void swpp_store(dwcas_atomic_pair *object, dwcas_pair desired, dwcas_order order)
{
    if (order == DWCAS_RELAXED)
        stp_store(object, desired, order);
    else
        (void)swpp_exchange(object, desired, order);
}

#endif
