// torn.s, mended: a miss stores what it read and tries again if that fails, so a pair that
// is returned was the object's value at that instant. The price: every miss is a write.
        .globl compare_exchange
compare_exchange:
1:      ldxp    x6, x7, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        csel    x9, x3, x6, eq
        csel    x10, x4, x7, eq
        stxp    w8, x9, x10, [x0]
        cbnz    w8, 1b
        cset    w0, eq
        stp     x6, x7, [x5]
        ret
