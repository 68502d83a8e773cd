// SPDX-License-Identifier: MIT
// The listing with a CLREX on the miss: nothing is left open. One instruction more on that path,
// and the same verdict, as every store-exclusive has a load-exclusive of its own anyway.
cas:    ldxp    x7, x6, [x8]
        eor     x7, x7, x2
        eor     x6, x6, x3
        orr     x6, x7, x6
        cbnz    x6, fail
        stxp    w7, x4, x5, [x8]
        cbnz    w7, cas
        b       done
fail:   clrex
done:
