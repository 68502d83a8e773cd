/* SPDX-License-Identifier: MIT */
/* locks/wait.h: what wait loops are made of. */
#ifndef DWCAS_LOCKS_WAIT_H
#define DWCAS_LOCKS_WAIT_H

#include "dwcas/method.h"
#include "locks/checked.h"
#include "locks/give_up.h"

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

/* How long a wait loop keeps its CPU, in hints. */
enum { WAIT_PAUSES = CHECKED_SIZE(256, 1) };

/* Between two looks at a word. `spent` starts at 0 and counts the hints of this wait. Once
 * they are WAIT_PAUSES, every further call gives up the CPU: with more threads than CPUs,
 * whoever is waited for may need this one. False if the run was aborted. */
static inline bool wait_pausing(uint32_t *spent, uint32_t pauses, const dwcas_thread *thread)
{
    if (*spent < WAIT_PAUSES) {
        if (pauses > WAIT_PAUSES - *spent)
            pauses = WAIT_PAUSES - *spent;
        *spent += pauses;
        for (; pauses > 0; pauses--)
            cpu_relax();
        return true;
    }
    give_up_cpu();
    return !wait_aborted(thread);
}

static inline bool wait_again(uint32_t *spent, const dwcas_thread *thread)
{
    return wait_pausing(spent, 1, thread);
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
