// SPDX-License-Identifier: MIT
// As abi_select.s with C11's convention: *expected goes in and comes out (x1), desired in x2:x3.
// Shape: GCC libatomic, compare_exchange_16 without LSE2, for release and stronger.
        ldp     x10, x11, [x1]
1:      ldaxp   x4, x5, [x0]
        cmp     x4, x10
        ccmp    x5, x11, #0, eq
        csel    x12, x2, x4, eq
        csel    x13, x3, x5, eq
        stlxp   w14, x12, x13, [x0]
        cbnz    w14, 1b
        cset    w0, eq
        stp     x4, x5, [x1]
        ret
