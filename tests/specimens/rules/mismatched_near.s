// SPDX-License-Identifier: MIT
// Each load-exclusive has a store-exclusive of its kind: here LDXR and STXR, of the low half.
1:      ldxr    x6, [x0]
        add     x7, x6, x1
        stxr    w8, x7, [x0]
        cbnz    w8, 1b
        mov     x0, x6
        ret
