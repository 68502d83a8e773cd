// SPDX-License-Identifier: MIT
// libatomic_and_fetch.s, mended: one register more.
        mvn     x6, x2
        mvn     x7, x3
        ldclrp  x6, x7, [x0]
        and     x0, x6, x2
        and     x1, x7, x3
        ret
