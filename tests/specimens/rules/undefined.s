// SPDX-License-Identifier: MIT
// CASP of odd registers, x7:x8 and x5:x6, is UNDEFINED; gcc 7.5 chose such (haproxy 3b728a92b).
// As a word, since assemblers refuse it: casp x7, x8, x5, x6, [x3].
        .inst   0x48277c65
        ret
