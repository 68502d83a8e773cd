// SPDX-License-Identifier: MIT
// The same with a DMB ISH behind it, as in Arm's atomics ABI.
        dmb     ish
        stp     x1, x2, [x0]
        dmb     ish
        ret
