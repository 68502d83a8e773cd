// SPDX-License-Identifier: MIT
// Compare-and-set by CASPAL that returns true where the pairs differ, under a name that reads like
// a bool of success.
// bool f(ptr, old_low, old_high, new_low, new_high).
// Shape: openGauss src/include/utils/atomic_lse.h, __lse_compare_and_swap_u128.
// Good for: a caller who knows that zero is success (difference.toml).
        mov     x6, x1
        mov     x7, x2
        mov     x8, x3
        mov     x9, x4
        caspal  x6, x7, x8, x9, [x0]
        eor     x6, x6, x1
        eor     x7, x7, x2
        orr     x6, x6, x7
        cmp     x6, #0
        cset    w0, ne
        ret
