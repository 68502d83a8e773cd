// SPDX-License-Identifier: MIT
// Compare-and-exchange, strong, C11's convention; a miss leaves early with what LDAXP read.
// Acquire does not help: it orders, it does not certify.
// Shape: Boost.Atomic core_arch_ops_gcc_aarch64.hpp, 16 bytes, compare_exchange_strong.
        ldp     x4, x5, [x1]
1:      ldaxp   x6, x7, [x0]
        cmp     x6, x4
        ccmp    x7, x5, #0, eq
        b.ne    2f
        stlxp   w8, x2, x3, [x0]
        cbnz    w8, 1b
2:      cset    w8, eq
        stp     x6, x7, [x1]
        mov     w0, w8
        ret
