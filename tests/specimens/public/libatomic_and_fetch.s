// SPDX-License-Identifier: MIT
// and_fetch by LDCLRP, which clears bits, so both halves of the mask must be inverted. Here both
// MVNs write x6: the mask of lo is lost, and x7 never is set.
// Shape: GCC libatomic atomic_16.S, and_fetch_16 with LSE128, in 167637297f0d.
// No tool could run LSE128 when it was written. Asked only for what it leaves behind, as the
// returned pair (x0:x1) is the new one.
        mvn     x6, x2
        mvn     x6, x3
        ldclrp  x6, x7, [x0]
        and     x0, x6, x2
        and     x1, x7, x3
        ret
