// SPDX-License-Identifier: MIT
// A load by LDAXP alone. Two reads before LSE2: the pair may be torn.
// Shape: loadUint128 of vitess go/atomic2 and of bytedance/gopkg collection/lscq.
        ldaxp   x2, x3, [x0]
        mov     x0, x2
        mov     x1, x3
        ret
