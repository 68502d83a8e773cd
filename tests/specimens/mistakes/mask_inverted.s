// SPDX-License-Identifier: MIT
// mask_not_inverted.s, mended: LDCLRP clears bits, so both halves of the mask are inverted.
        mvn     x6, x1
        mvn     x7, x2
        ldclrp  x6, x7, [x0]
        mov     x0, x6
        mov     x1, x7
        ret
