// SPDX-License-Identifier: MIT
// LDADDA into the zero register: it does not acquire, whatever its A says (abi-aa, special cases).
        ldadda  x1, xzr, [x0]
        ret
