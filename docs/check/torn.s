// A 128-bit compare-and-exchange as many libraries have it, called as
//     bool f(void *object, u64 e_lo, u64 e_hi, u64 d_lo, u64 d_hi, u64 observed[2]);
// A miss hands out what LDXP read. Before LSE2 that is two reads, and nothing certifies
// them as one: only a store-exclusive that stores does.
        .globl compare_exchange
compare_exchange:
1:      ldxp    x6, x7, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        b.ne    2f
        stxp    w8, x3, x4, [x0]
        cbnz    w8, 1b
2:      cset    w0, eq
        stp     x6, x7, [x5]
        ret
