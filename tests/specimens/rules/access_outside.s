// SPDX-License-Identifier: MIT
// The stack is used before and behind the two, not between: near ../public/libatomic_ops.s.
        str     x1, [sp, #-16]!
        ldr     x1, [sp], #16
1:      ldxp    x6, x7, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        b.ne    2f
        stxp    w8, x3, x4, [x0]
        cbnz    w8, 1b
2:      str     x6, [sp, #-16]!
        ldr     x6, [sp], #16
        cset    w0, eq
        ret
