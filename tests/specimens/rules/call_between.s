// SPDX-License-Identifier: MIT
// A call between the two.
        mov     x10, x30
1:      ldxp    x6, x7, [x0]
        bl      3f
        b.ne    2f
        stxp    w8, x3, x4, [x0]
        cbnz    w8, 1b
2:      mov     x30, x10
        cset    w0, eq
        ret
3:      cmp     x6, x1
        ccmp    x7, x2, #0, eq
        ret
