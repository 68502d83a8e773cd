// SPDX-License-Identifier: MIT
// A store that reads into x19, which belongs to the caller.
1:      ldxp    x19, x7, [x0]
        stxp    w10, x1, x2, [x0]
        cbnz    w10, 1b
        ret
