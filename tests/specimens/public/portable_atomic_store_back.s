// SPDX-License-Identifier: MIT
// Compare-and-exchange with a store-exclusive on either way; the comparison ends in a register
// (w9), not in the flags.
// Shape: portable-atomic without LSE, which writes this as CMP, CSET, CMP, CINC, CBZ.
1:      ldaxp   x6, x7, [x0]
        cmp     x6, x1
        cset    w9, ne
        cmp     x7, x2
        cinc    w9, w9, ne
        cbz     w9, 2f
        stlxp   w8, x6, x7, [x0]
        cbnz    w8, 1b
        b       3f
2:      stlxp   w8, x3, x4, [x0]
        cbnz    w8, 1b
3:      cmp     w9, #0
        cset    w0, eq
        stp     x6, x7, [x5]
        ret
