// SPDX-License-Identifier: MIT
// Compare-and-exchange that returns only what was there (x0:x1), with a store-exclusive on either
// way and a DMB ISH behind both: a full barrier, as Linux's are.
// Shape: openGauss src/include/utils/atomic_arm.h, __excl_compare_and_swap_u128.
1:      ldxp    x6, x7, [x0]
        eor     x8, x6, x2
        eor     x9, x7, x3
        orr     x8, x8, x9
        cbnz    x8, 2f
        stlxp   w10, x4, x5, [x0]
        cbnz    w10, 1b
        b       3f
2:      stlxp   w10, x6, x7, [x0]
        cbnz    w10, 1b
3:      dmb     ish
        mov     x0, x6
        mov     x1, x7
        ret
