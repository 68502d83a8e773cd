/* SPDX-License-Identifier: MIT */
/* pair/x86_64/cx16_avx.h: 16-byte load and store by aligned VMOVDQA; the rest is cx16.
 *
 * An aligned 16-byte VMOVDQA is single-copy atomic on CPUs that enumerate AVX, by the
 * word of Intel, AMD and Zhaoxin; detection asks for one of those vendors, for AVX, and
 * for an operating system that saves its state. A load then works on a read-only page
 * and leaves the line shared.
 *
 * load, every order        VMOVDQA (x86-64 loads acquire)
 * store, relaxed, release  VMOVDQA (x86-64 stores release)
 * store, seq_cst           VMOVDQA; LOCK OR of 0 to the own stack: the store must be
 *                          visible before any later load. About a third cheaper than
 *                          MFENCE (portable-atomic pull request 156).
 * Source: Intel SDM vol. 3 section 9.1.1; AMD APM vol. 2 section 7.3.2; GCC PR 104688. */
#ifndef DWCAS_PAIR_X86_64_CX16_AVX_H
#define DWCAS_PAIR_X86_64_CX16_AVX_H

#include "pair/x86_64/cx16.h"

typedef long long dwcas_xmm __attribute__((vector_size(16)));

static inline bool pair_compare_exchange_cx16_avx(dwcas_atomic_pair *object, dwcas_pair expected,
                                                  dwcas_pair desired, dwcas_pair *observed,
                                                  dwcas_order order)
{
    return pair_compare_exchange_cx16(object, expected, desired, observed, order);
}

static inline bool pair_compare_and_set_cx16_avx(dwcas_atomic_pair *object, dwcas_pair expected,
                                                 dwcas_pair desired, dwcas_order order)
{
    return pair_compare_and_set_cx16(object, expected, desired, order);
}

static inline dwcas_pair pair_load_cx16_avx(dwcas_atomic_pair *object, dwcas_order order)
{
    dwcas_xmm both;

    (void)order;
    __asm__ volatile("vmovdqa %[object], %[both]"
                     : [both] "=x"(both)
                     : [object] "m"(*object)
                     : "memory");
    return (dwcas_pair){(uint64_t)both[0], (uint64_t)both[1]};
}

/* Not VMOVDQA: moving the halves out of a vector register is slower than two loads. */
static inline dwcas_pair pair_guess_cx16_avx(const dwcas_atomic_pair *object)
{
    return pair_guess_cx16(object);
}

static inline void pair_store_cx16_avx(dwcas_atomic_pair *object, dwcas_pair desired,
                                       dwcas_order order)
{
    const dwcas_xmm both = {(long long)desired.lo, (long long)desired.hi};

    __asm__ volatile("vmovdqa %[both], %[object]"
                     : [object] "=m"(*object)
                     : [both] "x"(both)
                     : "memory");
    if (order == DWCAS_SEQ_CST)
        __asm__ volatile("lock orq $0, (%%rsp)" ::: "memory", "cc");
}

#endif
