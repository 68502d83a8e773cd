// SPDX-License-Identifier: MIT
// A compare-and-set that reads the halves into each other's registers: it never hits. Only pairs
// whose halves differ show it (llvm PR 205760, zig issue 21892).
1:      ldxp    x7, x6, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        b.ne    2f
        stxp    w8, x3, x4, [x0]
        cbnz    w8, 1b
2:      cset    w0, eq
        ret
