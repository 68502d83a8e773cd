// SPDX-License-Identifier: MIT
// Uses x19 and does not restore it (AAPCS64, 6.1.1).
f:      mov     x19, x1
        mov     x6, x19
        mov     x7, x2
        mov     x10, x3
        mov     x11, x4
        caspal  x6, x7, x10, x11, [x0]
        cmp     x6, x19
        ccmp    x7, x2, #0, eq
        cset    w0, eq
        ret
