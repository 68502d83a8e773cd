/* SPDX-License-Identifier: MIT */
/* locks/checked.h: a method's code as the checker of interleavings takes it.
 *
 * `atomics check` explores every interleaving of a method's arm64 object code, and can only do
 * so where the state is small and nothing calls the kernel. A method that is not so is compiled
 * for the checker a second time, with DWCAS_CHECKED: each size is the second of its two, and
 * who would give up its CPU or sleep looks again at once, as if woken for no reason. Loops,
 * atomics and their order are the measured ones. */
#ifndef DWCAS_LOCKS_CHECKED_H
#define DWCAS_LOCKS_CHECKED_H

#ifdef DWCAS_CHECKED
#define CHECKED_SIZE(measured, checked) (checked)
#else
#define CHECKED_SIZE(measured, checked) (measured)
#endif

#endif
