// SPDX-License-Identifier: MIT
// The listing with LDAXP and STLXP: it acquires, on a miss too, and releases. Still no full
// barrier: an earlier store and a later load may pass each other.
cas:    ldaxp   x7, x6, [x8]
        eor     x7, x7, x2
        eor     x6, x6, x3
        orr     x6, x7, x6
        cbnz    x6, fail
        stlxp   w7, x4, x5, [x8]
        cbnz    w7, cas
fail:
