// SPDX-License-Identifier: MIT
// A compare-and-set that compares w registers: only pairs that differ above 2**32 show it.
1:      ldxp    x6, x7, [x0]
        cmp     w6, w1
        ccmp    w7, w2, #0, eq
        b.ne    2f
        stxp    w8, x3, x4, [x0]
        cbnz    w8, 1b
2:      cset    w0, eq
        ret
