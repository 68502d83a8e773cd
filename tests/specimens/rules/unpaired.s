// SPDX-License-Identifier: MIT
// A CLREX between: no reservation is left, and the store-exclusive never stores.
1:      ldxp    x6, x7, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        clrex
        b.ne    2f
        stxp    w8, x3, x4, [x0]
        cbnz    w8, 1b
2:      cset    w0, eq
        ret
