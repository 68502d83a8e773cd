// SPDX-License-Identifier: MIT
// The LDXP/STXP listing that this project began with, as printed: it moves {start, end} of a
// write-ahead log if the pair still is what was expected. x8 = object, x2:x3 = expected,
// x4:x5 = new; x6 is zero on success.
// Good for: a compare-and-set that says yes or no, without any order.
// Not good for: handing out the pair (the EORs destroy it, and it may be torn: keeps_pair.s);
// publishing or reading what the pair guards (no acquire, no release). It also leaves the monitor
// open when it leaves early, which proper code never notices (open_monitor.s).
cas:    ldxp    x7, x6, [x8]        // read the pair, set the monitor
        eor     x7, x7, x2          // start still as expected?
        eor     x6, x6, x3          // end still as expected?
        orr     x6, x7, x6          // both?
        cbnz    x6, fail            // no: another thread moved it
        stxp    w7, x4, x5, [x8]    // yes: store, if the monitor still holds
        cbnz    w7, cas             // it did not: try again
fail:                               // not reserved; the caller decides
