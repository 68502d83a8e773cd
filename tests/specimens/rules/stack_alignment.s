// SPDX-License-Identifier: MIT
// Reaches memory through an SP that is no multiple of 16: a fault (DDI 0487, D1.8.2).
f:      sub     sp, sp, #8
        str     x3, [sp]
        mov     x6, x1
        mov     x7, x2
        mov     x10, x3
        mov     x11, x4
        caspal  x6, x7, x10, x11, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        cset    w0, eq
        add     sp, sp, #8
        ret
