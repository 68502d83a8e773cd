// SPDX-License-Identifier: MIT
// Compare-and-set by CASP, relaxed, that publishes what was written before it: other CPUs may see
// the new pair before the node that it points to.
// Shape: vitess go/atomic2/atomic128_arm64.s before PR 20283 (nodes of a stack were lost) and
// bytedance/gopkg collection/lscq/asm_arm64.s; Go's assembler knew no ordered CASP (golang/go
// issue 79929).
// Good for: a counter that guards nothing. Not good for: pointers to what was just written.
        mov     x6, x1
        mov     x7, x2
        mov     x8, x3
        mov     x9, x4
        casp    x6, x7, x8, x9, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        cset    w0, eq
        ret
