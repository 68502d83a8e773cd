// SPDX-License-Identifier: MIT
// Compare-and-exchange whose miss leaves early and overwrites *compare with what LDXP read.
// int f(target, compare, set).
// Shape: haproxy include/haproxy/atomic.h, __ha_cas_dw without LSE. haproxy_retry.s shows the use
// that survives it.
        ldp     x8, x9, [x1]
        ldp     x10, x11, [x2]
1:      ldxp    x4, x5, [x0]
        mov     x6, x4
        mov     x7, x5
        eor     x4, x4, x8
        eor     x5, x5, x9
        orr     x5, x4, x5
        mov     w4, #0
        cbnz    x5, 2f
        stxp    w4, x10, x11, [x0]
        cbnz    w4, 1b
        mov     w4, #1
2:      stp     x6, x7, [x1]
        mov     w0, w4
        ret
