// SPDX-License-Identifier: MIT
// A seq_cst store with LSE2 that lacks the barrier behind it: a later seq_cst load may pass it.
        dmb     ish
        stp     x1, x2, [x0]
        ret
