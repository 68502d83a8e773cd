// SPDX-License-Identifier: MIT
// Compare-and-exchange whose miss leaves early with what LDXP read.
// bool f(target, compare, set, value): *value becomes what was there.
// Shape: Concurrency Kit ck_pr_llsc.h, ck_pr_cas_64_2_value.
// Good for: a loop that only tries again with it. Not good for: a caller who believes the pair;
// before LSE2 it may be one that never was there.
        ldp     x8, x9, [x1]
        ldp     x10, x11, [x2]
1:      ldxp    x4, x5, [x0]
        mov     x6, x4
        mov     x7, x5
        eor     x4, x4, x8
        eor     x5, x5, x9
        orr     x5, x4, x5
        mov     w4, #0
        cbnz    x5, 2f
        stxp    w4, x10, x11, [x0]
        cbnz    w4, 1b
        mov     w4, #1
2:      stp     x6, x7, [x3]
        mov     w0, w4
        ret
