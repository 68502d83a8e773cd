// A bare listing: registers of its own, no return. It moves {start, end} of a log if the
// pair still is what was expected.
cas:    ldxp    x7, x6, [x8]        // read the pair
        eor     x7, x7, x2          // start as expected?
        eor     x6, x6, x3          // end as expected?
        orr     x6, x7, x6
        cbnz    x6, fail            // no: somebody moved it
        stxp    w7, x4, x5, [x8]    // yes: store, if the reservation still holds
        cbnz    w7, cas             // it did not: try again
fail:                               // x6 is zero on success
