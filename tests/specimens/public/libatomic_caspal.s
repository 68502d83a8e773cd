// SPDX-License-Identifier: MIT
// Compare-and-exchange by CASPAL, C11's convention: a miss comes back certified and acquires.
// Shape: GCC libatomic, compare_exchange_16 with LSE2; DPDK and openGauss atomic_arm.h with LSE.
// Success is found by comparing what came back with what was expected, and said as C wants it.
        ldp     x4, x5, [x1]
        mov     x6, x4
        mov     x7, x5
        caspal  x4, x5, x2, x3, [x0]
        cmp     x4, x6
        ccmp    x5, x7, #0, eq
        cset    w0, eq
        stp     x4, x5, [x1]
        ret
