// SPDX-License-Identifier: MIT
// A pure retry loop around haproxy_cas_dw.s: fetch_add_lanes, the old pair in x0:x1. A torn pair
// from a miss is only the next expectation, and matches nothing; what is returned was certified by
// the store. Right, as long as nobody acts on the pair before the loop ends (a pointer in it that
// is followed, a tag that is compared).
        ldp     x8, x9, [x0]        // a first guess, may be torn
1:      add     x10, x8, x1
        add     x11, x9, x2
2:      ldxp    x4, x5, [x0]
        mov     x6, x4
        mov     x7, x5
        eor     x4, x4, x8
        eor     x5, x5, x9
        orr     x5, x4, x5
        mov     w4, #0
        cbnz    x5, 3f
        stxp    w4, x10, x11, [x0]
        cbnz    w4, 2b
        mov     w4, #1
3:      mov     x8, x6
        mov     x9, x7
        cbz     w4, 1b
        mov     x0, x8
        mov     x1, x9
        ret
