// SPDX-License-Identifier: MIT
// Keeps a value below SP, where a signal handler may run (AAPCS64, 6.4.5.1).
f:      str     x3, [sp, #-16]
        mov     x6, x1
        mov     x7, x2
        mov     x10, x3
        mov     x11, x4
        caspal  x6, x7, x10, x11, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        cset    w0, eq
        ldr     x3, [sp, #-16]
        ret
