// SPDX-License-Identifier: MIT
// Retry loop, LDXP and STXP, "feedback": as classic.s, but a miss goes on with the pair that LDXP
// read. That one may be torn too; as it is only an expectation, the next pass misses again.
// Used by: loops around a compare-and-exchange that hands out the pair (haproxy, Boost.Atomic).
        ldp     x2, x3, [x8]
1:      add     x4, x2, x9
        add     x5, x3, x10
2:      ldxp    x0, x1, [x8]
        cmp     x0, x2
        ccmp    x1, x3, #0, eq
        b.ne    3f
        stxp    w7, x4, x5, [x8]
        cbnz    w7, 2b
        ret
3:      mov     x2, x0
        mov     x3, x1
        b       1b
