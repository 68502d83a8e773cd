/* SPDX-License-Identifier: MIT */
/* pair/x86_64/cmpxchg16b.h: LOCK CMPXCHG16B (CPUID.1:ECX bit 13).
 *
 * The instruction compares RDX:RAX with 16 aligned bytes. Equal: it stores RCX:RBX and
 * sets ZF. Different: it loads RDX:RAX and writes the old value back, so even a miss
 * and a load need a writable page and take the line exclusive. With LOCK it is a full
 * barrier on hit and miss: `order` changes nothing here. Without LOCK it is not atomic
 * across CPUs and hardly cheaper.
 *
 * "+m"(*object) spans 16 bytes, so the compiler keeps no stale half; "memory" keeps
 * other accesses on their side.
 * Source: Intel SDM vol. 2 CMPXCHG16B, vol. 3 section 9.1; AMD APM vol. 3. */
#ifndef DWCAS_PAIR_X86_64_CMPXCHG16B_H
#define DWCAS_PAIR_X86_64_CMPXCHG16B_H

#include "dwcas/pair.h"

static inline bool cmpxchg16b_compare_exchange(dwcas_atomic_pair *object, dwcas_pair expected,
                                               dwcas_pair desired, dwcas_pair *observed,
                                               dwcas_order order)
{
    bool equal;

    (void)order;
    __asm__ volatile("lock cmpxchg16b %[object]"
                     : [object] "+m"(*object), "+a"(expected.lo), "+d"(expected.hi), "=@ccz"(equal)
                     : "b"(desired.lo), "c"(desired.hi)
                     : "memory");
    *observed = expected;
    return equal;
}

static inline bool cmpxchg16b_compare_and_set(dwcas_atomic_pair *object, dwcas_pair expected,
                                              dwcas_pair desired, dwcas_order order)
{
    dwcas_pair observed;

    return cmpxchg16b_compare_exchange(object, expected, desired, &observed, order);
}

static inline dwcas_pair cmpxchg16b_load(dwcas_atomic_pair *object, dwcas_order order)
{
    const dwcas_pair zero = {0, 0};
    dwcas_pair observed;

    /* Either way the object keeps its value: a hit stores 0 over 0. */
    (void)cmpxchg16b_compare_exchange(object, zero, zero, &observed, order);
    return observed;
}

#endif
