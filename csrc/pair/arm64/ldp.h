/* SPDX-License-Identifier: MIT */
/* pair/arm64/ldp.h: 16-byte load and store by LDP and STP (FEAT_LSE2, HWCAP bit 25).
 *
 * With LSE2 an access inside one aligned 16-byte block of ordinary memory is single-copy
 * atomic. A load then works on a read-only page and leaves the line shared.
 *
 * load   relaxed  LDP
 *        acquire  LDP; DMB ISHLD: the pair is read before anything later
 *        seq_cst  LDAR of the low half first: it may not pass an earlier STLXP or CASPAL,
 *                 which a LDP could. LDP; DMB ISH alone is wrong (GCC PR 108891,
 *                 portable-atomic 1.3.0, LLVM issue 62652).
 * store  relaxed  STP
 *        release  DMB ISH; STP
 *        seq_cst  DMB ISH; STP; DMB ISH
 * Source: Arm DDI 0487 B2.2.1; ARM-software/abi-aa atomicsabi64, 128-bit table. */
#ifndef DWCAS_PAIR_ARM64_LDP_H
#define DWCAS_PAIR_ARM64_LDP_H

#include "dwcas/pair.h"

static inline dwcas_pair ldp_load(dwcas_atomic_pair *object, dwcas_order order)
{
    dwcas_pair pair;
    uint64_t first;

    if (order == DWCAS_SEQ_CST)
        __asm__ volatile("ldar %[first], %[object]\n\t"
                         "ldp  %[lo], %[hi], %[object]\n\t"
                         "dmb  ishld"
                         : [lo] "=&r"(pair.lo), [hi] "=&r"(pair.hi), [first] "=&r"(first)
                         : [object] "Q"(*object)
                         : "memory");
    else if (order == DWCAS_ACQUIRE)
        __asm__ volatile("ldp %[lo], %[hi], %[object]\n\t"
                         "dmb ishld"
                         : [lo] "=&r"(pair.lo), [hi] "=&r"(pair.hi)
                         : [object] "Q"(*object)
                         : "memory");
    else
        __asm__ volatile("ldp %[lo], %[hi], %[object]"
                         : [lo] "=&r"(pair.lo), [hi] "=&r"(pair.hi)
                         : [object] "Q"(*object)
                         : "memory");
    return pair;
}

static inline void stp_store(dwcas_atomic_pair *object, dwcas_pair desired, dwcas_order order)
{
    if (order == DWCAS_SEQ_CST)
        __asm__ volatile("dmb ish\n\t"
                         "stp %[lo], %[hi], %[object]\n\t"
                         "dmb ish"
                         : [object] "=Q"(*object)
                         : [lo] "r"(desired.lo), [hi] "r"(desired.hi)
                         : "memory");
    else if (dwcas_order_releases(order))
        __asm__ volatile("dmb ish\n\t"
                         "stp %[lo], %[hi], %[object]"
                         : [object] "=Q"(*object)
                         : [lo] "r"(desired.lo), [hi] "r"(desired.hi)
                         : "memory");
    else
        __asm__ volatile("stp %[lo], %[hi], %[object]"
                         : [object] "=Q"(*object)
                         : [lo] "r"(desired.lo), [hi] "r"(desired.hi)
                         : "memory");
}

#endif
