// SPDX-License-Identifier: MIT
// fetch_add_lanes that adds into its own input on every pass: after one failed store-exclusive it
// adds too much. Undisturbed it is right (OSv issue 1189).
1:      ldxp    x6, x7, [x0]
        add     x1, x1, x6
        add     x2, x2, x7
        stxp    w8, x1, x2, [x0]
        cbnz    w8, 1b
        mov     x0, x6
        mov     x1, x7
        ret
