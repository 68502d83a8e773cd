// SPDX-License-Identifier: MIT
// seq_cst_load.s, mended as in Arm's atomics ABI: an LDAR of the object comes first, which keeps
// its place behind an earlier release.
        ldar    x4, [x0]
        ldp     x2, x3, [x0]
        dmb     ishld
        mov     x0, x2
        mov     x1, x3
        ret
