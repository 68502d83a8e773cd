// SPDX-License-Identifier: MIT
// Writes what it saw over the expected pair, which its caller did not ask for.
f:      ldp     x6, x7, [x1]
        ldp     x10, x11, [x2]
        mov     x12, x6
        mov     x13, x7
        caspal  x12, x13, x10, x11, [x0]
        stp     x12, x13, [x1]
        cmp     x12, x6
        ccmp    x13, x7, #0, eq
        cset    w0, eq
        ret
