// SPDX-License-Identifier: MIT
// A load by LDP: one access with LSE2, two without.
// Shape: the compiler's own before it knew better (llvm issue 59904, rust PR 88651).
        ldp     x0, x1, [x0]
        ret
