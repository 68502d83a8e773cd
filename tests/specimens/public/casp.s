// SPDX-License-Identifier: MIT
// Retry loop, CASP: as feedback.s with one atomic instruction, so the pair that a miss goes on
// with is certified. x0:x1 = expected, x4:x5 = new; even registers, as CASP wants.
// Used by: every LSE backend (libatomic, portable-atomic, DPDK).
        ldp     x2, x3, [x8]
1:      add     x4, x2, x9
        add     x5, x3, x10
        mov     x0, x2
        mov     x1, x3
        casp    x0, x1, x4, x5, [x8]
        cmp     x0, x2
        ccmp    x1, x3, #0, eq
        b.eq    2f
        mov     x2, x0
        mov     x3, x1
        b       1b
2:      ret
