// SPDX-License-Identifier: MIT
// keeps_pair.s, mended: a miss stores what it read, and tries again if that fails. The price is
// that every miss is a write.
cas:    ldxp    x0, x1, [x8]
        eor     x7, x0, x2
        eor     x6, x1, x3
        orr     x6, x7, x6
        cbnz    x6, miss
        stxp    w7, x4, x5, [x8]
        cbnz    w7, cas
        b       done
miss:   stxp    w7, x0, x1, [x8]    // certifies the pair
        cbnz    w7, cas
done:
