/* SPDX-License-Identifier: MIT */
/* locks/spin18.h: PostgreSQL 18's spinlock: as before, but a waiter on arm64 too looks at
 * the word before it tries to set it, so that waiters share the line while it is taken.
 * On x86-64 it is the same code as spin.h, instruction for instruction.
 * Source: PostgreSQL 18, s_lock.h, commit 3d0b4b1068. */
#ifndef DWCAS_LOCKS_SPIN18_H
#define DWCAS_LOCKS_SPIN18_H

#include "locks/spin.h"

typedef spin_lock spin18_lock;

#define spin18_lock_start spin_lock_start
#define spin18_lock_release spin_lock_release
#define spin18_lock_finish spin_lock_finish

static inline bool spin18_lock_acquire(spin18_lock *lock, dwcas_thread *thread)
{
    return spin_try(lock) || spin_wait(lock, thread, true);
}

#endif
