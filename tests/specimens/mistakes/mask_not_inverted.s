// SPDX-License-Identifier: MIT
// fetch_and by LDCLRP with the mask as it is: it clears what should stay.
        mov     x6, x1
        mov     x7, x2
        ldclrp  x6, x7, [x0]
        mov     x0, x6
        mov     x1, x7
        ret
