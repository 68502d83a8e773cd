// SPDX-License-Identifier: MIT
// Compare-and-exchange, weak: one try; where the store-exclusive fails, the pair is handed out
// uncertified too.
// Shape: Boost.Atomic core_arch_ops_gcc_aarch64.hpp, 16 bytes, compare_exchange_weak.
        ldp     x4, x5, [x1]
        mov     w8, #0
        ldaxp   x6, x7, [x0]
        cmp     x6, x4
        ccmp    x7, x5, #0, eq
        b.ne    1f
        stlxp   w8, x2, x3, [x0]
        eor     w8, w8, #1
1:      stp     x6, x7, [x1]
        mov     w0, w8
        ret
