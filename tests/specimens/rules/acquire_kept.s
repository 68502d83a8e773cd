// SPDX-License-Identifier: MIT
// LDADDA into a register.
        ldadda  x1, x0, [x0]
        ret
