// SPDX-License-Identifier: MIT
// Uses d8, the low half of v8, and does not restore it (AAPCS64, 6.1.2).
f:      .inst   0x9e670028              // fmov d8, x1
        mov     x6, x1
        mov     x7, x2
        mov     x10, x3
        mov     x11, x4
        caspal  x6, x7, x10, x11, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        cset    w0, eq
        ret
