// SPDX-License-Identifier: MIT
// A compare-and-set with a frame of its own, by the book (AAPCS64): 16-byte alignment of SP, nothing
// below it, x19, x20 and the low half of v8 saved and restored, flags set before they are read, a
// bool of 0 or 1. Near every rule about the procedure call standard.
f:      stp     x29, x30, [sp, #-48]!
        mov     x29, sp
        stp     x19, x20, [sp, #16]
        .inst   0xfd0013e8              // str d8, [sp, #32]
        mov     x19, x1
        mov     x20, x2
        .inst   0x9e670068              // fmov d8, x3
1:      ldxp    x6, x7, [x0]
        cmp     x6, x19
        ccmp    x7, x20, #0, eq
        b.ne    2f
        .inst   0x9e660103              // fmov x3, d8
        stxp    w8, x3, x4, [x0]
        cbnz    w8, 1b
2:      cset    w0, eq
        .inst   0xfd4013e8              // ldr d8, [sp, #32]
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp], #48
        ret
