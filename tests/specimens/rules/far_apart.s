// SPDX-License-Identifier: MIT
// The store-exclusive is 132 bytes behind its load-exclusive.
1:      ldxp    x6, x7, [x0]
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        b.ne    2f
        stxp    w8, x3, x4, [x0]
        cbnz    w8, 1b
2:      cset    w0, eq
        ret
