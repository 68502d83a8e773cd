// SPDX-License-Identifier: MIT
// A loop between the two: it waits.
1:      ldxp    x6, x7, [x0]
        mov     x9, #2
3:      subs    x9, x9, #1
        b.ne    3b
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        b.ne    2f
        stxp    w8, x3, x4, [x0]
        cbnz    w8, 1b
2:      cset    w0, eq
        ret
