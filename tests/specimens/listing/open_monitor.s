// SPDX-License-Identifier: MIT
// What the open monitor of a miss allows: a store-exclusive behind the listing, without a
// load-exclusive of its own, stores, although the pair was not as expected. No proper code has
// one, so the listing itself is right; a CLREX on the miss (closed_monitor.s) rules it out. What
// the rules see of it is that nobody looks whether that store-exclusive stored.
cas:    ldxp    x7, x6, [x8]
        eor     x7, x7, x2
        eor     x6, x6, x3
        orr     x6, x7, x6
        cbnz    x6, fail
        stxp    w7, x4, x5, [x8]
        cbnz    w7, cas
        b       done
fail:   stxp    w7, x4, x5, [x8]    // rides on the reservation that the miss left
done:
