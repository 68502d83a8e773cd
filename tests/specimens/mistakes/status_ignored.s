// SPDX-License-Identifier: MIT
// fetch_add_lanes that never looks whether its store-exclusive stored: updates are lost.
        ldxp    x6, x7, [x0]
        add     x8, x6, x1
        add     x9, x7, x2
        stxp    w10, x8, x9, [x0]
        mov     x0, x6
        mov     x1, x7
        ret
