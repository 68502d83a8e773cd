// SPDX-License-Identifier: MIT
// Reads the last word of the object.
f:      ldr     x12, [x0, #8]
        mov     x6, x1
        mov     x7, x2
        mov     x10, x3
        mov     x11, x4
        caspal  x6, x7, x10, x11, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        cset    w0, eq
        ret
