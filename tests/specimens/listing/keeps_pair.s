// SPDX-License-Identifier: MIT
// The listing with two instructions more, so that a caller who misses knows the pair: x0:x1.
// Wrong: on a miss nothing certifies that the two halves were read at one instant. LDXP of 64-bit
// registers is two reads before LSE2, and only a store-exclusive that stores makes them one.
cas:    ldxp    x0, x1, [x8]
        mov     x7, x0
        mov     x6, x1
        eor     x7, x7, x2
        eor     x6, x6, x3
        orr     x6, x7, x6
        cbnz    x6, fail
        stxp    w7, x4, x5, [x8]
        cbnz    w7, cas
fail:
