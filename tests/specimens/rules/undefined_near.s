// SPDX-License-Identifier: MIT
// CASP of even registers.
        mov     x6, x1
        mov     x7, x2
        mov     x8, x3
        mov     x9, x4
        casp    x6, x7, x8, x9, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        cset    w0, eq
        ret
