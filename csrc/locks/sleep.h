/* SPDX-License-Identifier: MIT */
/* locks/sleep.h: sleeping in the kernel until a word changes (futex). */
#ifndef DWCAS_LOCKS_SLEEP_H
#define DWCAS_LOCKS_SLEEP_H

#include "dwcas/method.h"

#include <limits.h>
#include <stdatomic.h>

#ifdef DWCAS_CHECKED

static inline void sleep_on(_Atomic uint32_t *word, uint32_t value)
{
    (void)word;
    (void)value;
}

static inline void sleep_wake_some(_Atomic uint32_t *word, int most)
{
    (void)word;
    (void)most;
}

#else

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleeps if the word has that value, until somebody wakes it; at most 0.1 s, so that the
 * caller can ask whether the run was aborted. May return for no reason. */
static inline void sleep_on(_Atomic uint32_t *word, uint32_t value)
{
    const struct timespec most = {0, 100000000};

    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &most, NULL, 0);
}

/* Wakes up to so many who sleep on the word. The word's thread may be gone: nothing is read. */
static inline void sleep_wake_some(_Atomic uint32_t *word, int most)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0);
}

#endif

static inline void sleep_wake(_Atomic uint32_t *word)
{
    sleep_wake_some(word, 1);
}

static inline void sleep_wake_all(_Atomic uint32_t *word)
{
    sleep_wake_some(word, INT_MAX);
}

#endif
