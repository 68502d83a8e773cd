// SPDX-License-Identifier: MIT
// Retry loop, LDXP and STXP, "classic": adds x9 to lo and x10 to hi; the expected pair comes from
// a plain LDP, on a miss again. It may be torn there, which costs a pass and no more: only what
// LDXP and STXP found again is stored and returned (x2:x3).
// Used by: callers of a compare-and-set that says yes or no, such as of ../listing/listing.s.
        ldp     x2, x3, [x8]
1:      add     x4, x2, x9
        add     x5, x3, x10
2:      ldxp    x7, x6, [x8]
        eor     x7, x7, x2
        eor     x6, x6, x3
        orr     x6, x7, x6
        cbnz    x6, 3f
        stxp    w7, x4, x5, [x8]
        cbnz    w7, 2b
        ret
3:      ldp     x2, x3, [x8]
        b       1b
