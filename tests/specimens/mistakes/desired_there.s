// SPDX-License-Identifier: MIT
// A compare-and-set that looks afterwards whether the desired pair is there: somebody else may
// have put it there, or taken it away (FEX issue 1139).
        mov     x6, x1
        mov     x7, x2
        mov     x8, x3
        mov     x9, x4
        caspal  x6, x7, x8, x9, [x0]
        ldp     x6, x7, [x0]
        cmp     x6, x3
        ccmp    x7, x4, #0, eq
        cset    w0, eq
        ret
