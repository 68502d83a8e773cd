// SPDX-License-Identifier: MIT
// Compare-and-set with LDXP and STXP in asm blocks of their own, as a compiler makes it without
// optimisation: the pair that was read goes to the stack and comes back between the two.
// Shape: libatomic_ops src/atomic_ops/sysdeps/gcc/aarch64.h, AO_double_compare_and_swap (open-mpi
// issues 3697, 3988 and 4563 are about the same).
// Right in the model; but the architecture promises progress only where nothing between the two
// reaches memory, so on some CPU it may never store.
        sub     sp, sp, #32
1:      ldxp    x6, x7, [x0]
        stp     x6, x7, [sp]
        ldr     x8, [sp]
        cmp     x8, x1
        b.ne    2f
        ldr     x8, [sp, #8]
        cmp     x8, x2
        b.ne    2f
        stxp    w9, x3, x4, [x0]
        cbnz    w9, 1b
        mov     w0, #1
        b       3f
2:      mov     w0, #0
3:      add     sp, sp, #32
        ret
