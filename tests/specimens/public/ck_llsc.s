// SPDX-License-Identifier: MIT
// Compare-and-set that says yes or no, without order; a miss leaves early.
// Shape: Concurrency Kit ck_pr_llsc.h, ck_pr_cas_64_2. Good for that; see ck_llsc_value.s for what
// becomes of it when the pair is handed out.
1:      ldxp    x6, x7, [x0]
        eor     x6, x6, x1
        eor     x7, x7, x2
        orr     x7, x6, x7
        mov     w6, #0
        cbnz    x7, 2f
        stxp    w6, x3, x4, [x0]
        cbnz    w6, 1b
        mov     w6, #1
2:      mov     w0, w6
        ret
