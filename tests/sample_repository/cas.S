// What a user's repository holds: one hand-written sequence.
        .globl cas
cas:
1:      ldaxp   x6, x7, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        csel    x9, x3, x6, eq
        csel    x10, x4, x7, eq
        stlxp   w8, x9, x10, [x0]
        cbnz    w8, 1b
        cset    w0, eq
        stp     x6, x7, [x5]
        ret
