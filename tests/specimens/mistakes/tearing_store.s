// SPDX-License-Identifier: MIT
// A store by STP: one access with LSE2, two without. No atomic reader repairs that.
        stp     x1, x2, [x0]
        ret
