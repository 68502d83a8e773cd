// SPDX-License-Identifier: MIT
// LDXP with STXR: two registers against one, CONSTRAINED UNPREDICTABLE.
1:      ldxp    x6, x7, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        b.ne    2f
        stxr    w8, x3, [x0]
        cbnz    w8, 1b
2:      cset    w0, eq
        ret
