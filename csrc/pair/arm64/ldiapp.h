/* SPDX-License-Identifier: MIT */
/* pair/arm64/ldiapp.h: ordered 16-byte load and store, LDIAPP and STILP (FEAT_LRCPC3 with
 * LSE2, HWCAP2 bit 46).
 *
 * load   acquire  LDIAPP (RCpc: it may pass an earlier STILP to another pair)
 *        seq_cst  LDAR of the low half first, which may not; then LDIAPP
 * store  release  STILP
 *        seq_cst  STILP; DMB ISH: a later load may not pass it. Arm's ABI has STILP
 *                 alone; portable-atomic adds the barrier, and so do we.
 * relaxed is LDP and STP (ldp.h).
 * Assemblers of 2024 do not know the instructions: they are words, so the registers are
 * pinned: LDIAPP x6, x7, [x8] and STILP x6, x7, [x8].
 * Source: Arm DDI 0487 LDIAPP, STILP; ARM-software/abi-aa atomicsabi64. */
#ifndef DWCAS_PAIR_ARM64_LDIAPP_H
#define DWCAS_PAIR_ARM64_LDIAPP_H

#include "pair/arm64/ldp.h"

#define LDIAPP_X6_X7_X8 ".inst 0xd9471906"
#define STILP_X6_X7_X8 ".inst 0xd9071906"

static inline dwcas_pair ldiapp_load(dwcas_atomic_pair *object, dwcas_order order)
{
    register uint64_t lo __asm__("x6");
    register uint64_t hi __asm__("x7");
    register dwcas_atomic_pair *address __asm__("x8") = object;
    uint64_t first;

    if (order == DWCAS_SEQ_CST)
        __asm__ volatile("ldar %[first], [%[address]]\n\t" LDIAPP_X6_X7_X8
                         : [lo] "=&r"(lo), [hi] "=&r"(hi), [first] "=&r"(first)
                         : [address] "r"(address), "m"(*object)
                         : "memory");
    else if (order == DWCAS_ACQUIRE)
        __asm__ volatile(LDIAPP_X6_X7_X8
                         : [lo] "=&r"(lo), [hi] "=&r"(hi)
                         : [address] "r"(address), "m"(*object)
                         : "memory");
    else
        return ldp_load(object, order);
    return (dwcas_pair){lo, hi};
}

static inline void stilp_store(dwcas_atomic_pair *object, dwcas_pair desired, dwcas_order order)
{
    register uint64_t lo __asm__("x6") = desired.lo;
    register uint64_t hi __asm__("x7") = desired.hi;
    register dwcas_atomic_pair *address __asm__("x8") = object;

    if (order == DWCAS_SEQ_CST)
        __asm__ volatile(STILP_X6_X7_X8 "\n\tdmb ish"
                         : "=m"(*object)
                         : [lo] "r"(lo), [hi] "r"(hi), [address] "r"(address)
                         : "memory");
    else if (dwcas_order_releases(order))
        __asm__ volatile(STILP_X6_X7_X8
                         : "=m"(*object)
                         : [lo] "r"(lo), [hi] "r"(hi), [address] "r"(address)
                         : "memory");
    else
        stp_store(object, desired, order);
}

#undef LDIAPP_X6_X7_X8
#undef STILP_X6_X7_X8

#endif
