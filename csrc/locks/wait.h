/* SPDX-License-Identifier: MIT */
/* locks/wait.h: what wait loops are made of. */
#ifndef DWCAS_LOCKS_WAIT_H
#define DWCAS_LOCKS_WAIT_H

#include "dwcas/method.h"

#include <stdatomic.h>

/* A hint between two looks at a word. ISB, not YIELD, on arm64: YIELD is a no-op there
 * and the loop would hammer the line (PostgreSQL commit a82a5eee31). */
static inline void cpu_relax(void)
{
#if defined(__x86_64__)
    __asm__ volatile("pause");
#else
    __asm__ volatile("isb");
#endif
}

/* Every wait loop asks, so that a run always ends. */
static inline bool wait_aborted(const dwcas_thread *thread)
{
    return atomic_load_explicit(thread->abort, memory_order_relaxed) != 0;
}

/* xorshift64: 8 shifts and adds, no shared state. */
static inline uint64_t thread_random(dwcas_thread *thread)
{
    thread->random ^= thread->random << 13;
    thread->random ^= thread->random >> 7;
    thread->random ^= thread->random << 17;
    return thread->random;
}

#endif
