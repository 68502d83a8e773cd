// SPDX-License-Identifier: MIT
// status_ignored.s with the one branch that it lacks.
1:      ldxp    x6, x7, [x0]
        add     x8, x6, x1
        add     x9, x7, x2
        stxp    w10, x8, x9, [x0]
        cbnz    w10, 1b
        mov     x0, x6
        mov     x1, x7
        ret
