/* SPDX-License-Identifier: MIT */
/* pair/x86_64/vmovdqa.h: 16-byte load and store by aligned VMOVDQA.
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
#ifndef DWCAS_PAIR_X86_64_VMOVDQA_H
#define DWCAS_PAIR_X86_64_VMOVDQA_H

#include "dwcas/pair.h"

typedef long long dwcas_xmm __attribute__((vector_size(16)));

static inline dwcas_pair vmovdqa_load(dwcas_atomic_pair *object, dwcas_order order)
{
    dwcas_xmm both;

    (void)order;
    __asm__ volatile("vmovdqa %[object], %[both]"
                     : [both] "=x"(both)
                     : [object] "m"(*object)
                     : "memory");
    return (dwcas_pair){(uint64_t)both[0], (uint64_t)both[1]};
}

static inline void vmovdqa_store(dwcas_atomic_pair *object, dwcas_pair desired, dwcas_order order)
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
