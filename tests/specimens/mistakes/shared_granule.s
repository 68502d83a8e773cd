// SPDX-License-Identifier: MIT
// A store that notes what it overwrites beside the pair, between its exclusives. Where an own
// plain store ends the reservation it never stores; where it does not, it works.
1:      ldxp    x6, x7, [x0]
        str     x6, [x0, #16]
        stxp    w8, x1, x2, [x0]
        cbnz    w8, 1b
        ret
