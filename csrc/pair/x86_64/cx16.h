/* SPDX-License-Identifier: MIT */
/* pair/x86_64/cx16.h: every operation by LOCK CMPXCHG16B (CPUID.1:ECX bit 13).
 *
 * The instruction compares RDX:RAX with 16 aligned bytes. Equal: it stores RCX:RBX and
 * sets ZF. Different: it loads RDX:RAX and writes the old value back, so even a miss
 * and a load need a writable page and take the line exclusive. With LOCK it is a full
 * barrier on hit and miss: `order` changes nothing here.
 *
 * A store is a CAS loop. It is seeded by two plain loads, not by CAS(0,0): that costs
 * half as much again and one more exclusive request under contention.
 *
 * "+m"(*object) spans 16 bytes, so the compiler keeps no stale half; "memory" keeps
 * other accesses on their side.
 * Source: Intel SDM vol. 2 CMPXCHG16B, vol. 3 section 9.1; AMD APM vol. 3. */
#ifndef DWCAS_PAIR_X86_64_CX16_H
#define DWCAS_PAIR_X86_64_CX16_H

#include "dwcas/pair.h"

static inline bool pair_compare_exchange_cx16(dwcas_atomic_pair *object, dwcas_pair expected,
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

static inline bool pair_compare_and_set_cx16(dwcas_atomic_pair *object, dwcas_pair expected,
                                             dwcas_pair desired, dwcas_order order)
{
    dwcas_pair observed;

    return pair_compare_exchange_cx16(object, expected, desired, &observed, order);
}

static inline dwcas_pair pair_load_cx16(dwcas_atomic_pair *object, dwcas_order order)
{
    const dwcas_pair zero = {0, 0};
    dwcas_pair observed;

    /* Either way the object keeps its value: a hit stores 0 over 0. */
    (void)pair_compare_exchange_cx16(object, zero, zero, &observed, order);
    return observed;
}

static inline dwcas_pair pair_guess_cx16(const dwcas_atomic_pair *object)
{
    return (dwcas_pair){__atomic_load_n(&object->lo, __ATOMIC_RELAXED),
                        __atomic_load_n(&object->hi, __ATOMIC_RELAXED)};
}

static inline void pair_store_cx16(dwcas_atomic_pair *object, dwcas_pair desired,
                                   dwcas_order order)
{
    dwcas_pair expected = pair_guess_cx16(object);

    while (!pair_compare_exchange_cx16(object, expected, desired, &expected, order)) {
    }
}

#endif
