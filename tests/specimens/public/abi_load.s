// SPDX-License-Identifier: MIT
// A load by LDXP and a STXP of the same pair, which certifies it.
// Shape: Arm's atomics ABI without LSE; libatomic, libatomic_ops, Boost.Atomic.
// Good for: every machine. Not good for: a read-only page; a load that is a store faults there.
1:      ldaxp   x2, x3, [x0]
        stxp    w4, x2, x3, [x0]
        cbnz    w4, 1b
        mov     x0, x2
        mov     x1, x3
        ret
