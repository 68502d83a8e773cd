// SPDX-License-Identifier: MIT
// Compare-and-exchange that always stores: the new pair or the one that was read, chosen by
// CSEL. One path, no branch but the retry, and no torn pair.
// Shape: Arm's atomics ABI, 128-bit table, without LSE.
// Good for: every machine. Not good for: an object on a read-only page, or much read by others.
1:      ldxp    x6, x7, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        csel    x9, x3, x6, eq
        csel    x10, x4, x7, eq
        stxp    w8, x9, x10, [x0]
        cbnz    w8, 1b
        cset    w0, eq
        stp     x6, x7, [x5]
        ret
