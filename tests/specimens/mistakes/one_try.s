// SPDX-License-Identifier: MIT
// A compare-and-set that gives up where its store-exclusive fails without a reason: no strong one,
// and a good weak one.
        ldaxp   x6, x7, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        b.ne    1f
        stlxp   w10, x3, x4, [x0]
        cmp     w10, #0
1:      cset    w0, eq
        ret
