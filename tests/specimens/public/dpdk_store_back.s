// SPDX-License-Identifier: MIT
// Compare-and-exchange with a store-exclusive on either way: the new pair on a hit, the pair that
// was read on a miss. int f(dst, exp, src), *exp becomes what was there.
// Shape: DPDK rte_atomic128_cmp_exchange without LSE, compiled so that nothing is spilled between
// (it writes LDAXP and STLXP in asm blocks of their own: libatomic_ops.s shows the danger).
        ldp     x4, x5, [x1]
        ldp     x6, x7, [x2]
1:      ldaxp   x8, x9, [x0]
        cmp     x8, x4
        ccmp    x9, x5, #0, eq
        b.ne    2f
        stlxp   w10, x6, x7, [x0]
        b       3f
2:      stlxp   w10, x8, x9, [x0]
3:      cbnz    w10, 1b
        stp     x8, x9, [x1]
        cmp     x8, x4
        ccmp    x9, x5, #0, eq
        cset    w0, eq
        ret
