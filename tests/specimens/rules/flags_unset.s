// SPDX-License-Identifier: MIT
// The first comparison is forgotten: CCMP looks at flags that its caller left.
f:
        mov     x6, x1
        mov     x7, x2
        mov     x10, x3
        mov     x11, x4
        caspal  x6, x7, x10, x11, [x0]
        ccmp    x7, x2, #0, eq
        cset    w0, eq
        ret
