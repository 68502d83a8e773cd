// SPDX-License-Identifier: MIT
// A seq_cst load with LSE2 as LDP and a barrier behind it: it may pass an earlier release to
// another pair.
// Shape: GCC libatomic before 1f641d6a (PR 108891), portable-atomic before 1.3.0, llvm issue 62652.
        ldp     x2, x3, [x0]
        dmb     ish
        mov     x0, x2
        mov     x1, x3
        ret
