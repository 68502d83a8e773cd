// SPDX-License-Identifier: MIT
// LDAXP and STLXP, taken for a full barrier: an earlier store and a later load may pass each
// other. Linux's full forms have a DMB ISH behind the STLXP.
// Near miss: ../public/opengauss_store_back.s.
1:      ldaxp   x6, x7, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        b.ne    2f
        stlxp   w8, x3, x4, [x0]
        cbnz    w8, 1b
2:      cset    w0, eq
        ret
