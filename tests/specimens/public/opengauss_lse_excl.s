// SPDX-License-Identifier: MIT
// Compare-and-set whose trailing barrier stands on the hit only: a miss leaves before the DMB ISH
// and orders nothing. Its result is inverted too (difference.toml).
// Shape: openGauss src/include/utils/atomic_lse.h, __excl_compare_and_swap_u128; MariaDB PR 1951
// relied on such a barrier, musl 2d14fa39 and compiler-builtins PR 1234 mended one.
1:      ldxp    x6, x7, [x0]
        eor     x6, x6, x1
        eor     x7, x7, x2
        orr     x7, x6, x7
        cbnz    x7, 2f
        stlxp   w6, x3, x4, [x0]
        cbnz    w6, 1b
        dmb     ish
2:      cmp     x7, #0
        cset    w0, ne
        ret
