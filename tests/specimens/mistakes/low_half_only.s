// SPDX-License-Identifier: MIT
// A compare-and-set that compares one half.
1:      ldxp    x6, x7, [x0]
        cmp     x6, x1
        b.ne    2f
        stxp    w10, x3, x4, [x0]
        cbnz    w10, 1b
2:      cset    w0, eq
        ret
