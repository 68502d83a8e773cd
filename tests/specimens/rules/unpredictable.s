// SPDX-License-Identifier: MIT
// The status goes to a register that is stored: CONSTRAINED UNPREDICTABLE.
1:      ldxp    x6, x7, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        b.ne    2f
        stxp    w3, x3, x4, [x0]
        cbnz    w3, 1b
2:      cset    w0, eq
        ret
