// SPDX-License-Identifier: MIT
// Only reads the pairs that it is given.
f:      ldp     x6, x7, [x1]
        ldp     x10, x11, [x2]
        mov     x12, x6
        mov     x13, x7
        caspal  x12, x13, x10, x11, [x0]
        cmp     x12, x6
        ccmp    x13, x7, #0, eq
        cset    w0, eq
        ret
