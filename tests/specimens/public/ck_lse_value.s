// SPDX-License-Identifier: MIT
// Compare-and-exchange by CASP that returns true where the pairs differ: polarity inverted.
// bool f(target, compare, set, value).
// Shape: Concurrency Kit ck_pr_lse.h, ck_pr_cas_64_2_value (an #error keeps it from being built).
        ldp     x4, x5, [x1]
        ldp     x6, x7, [x2]
        mov     x8, x4
        mov     x9, x5
        casp    x4, x5, x6, x7, [x0]
        eor     x8, x4, x8
        eor     x9, x5, x9
        orr     x8, x8, x9
        cmp     x8, #0
        cset    w0, ne              // what C makes of !!(difference)
        stp     x4, x5, [x3]
        ret
