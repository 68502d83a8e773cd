/* SPDX-License-Identifier: MIT */
/* locks/mutex.h: the C library's mutex. A waiter sleeps in the kernel, and a holder
 * always leaves again, so a waiter need not ask whether the run was aborted. */
#ifndef DWCAS_LOCKS_MUTEX_H
#define DWCAS_LOCKS_MUTEX_H

#include "dwcas/method.h"

#include <pthread.h>

typedef struct mutex_lock {
    pthread_mutex_t mutex;
} mutex_lock;

static inline void mutex_lock_start(mutex_lock *lock)
{
    pthread_mutex_init(&lock->mutex, NULL);
}

static inline bool mutex_lock_acquire(mutex_lock *lock, dwcas_thread *thread)
{
    (void)thread;
    return pthread_mutex_lock(&lock->mutex) == 0;
}

static inline void mutex_lock_release(mutex_lock *lock, dwcas_thread *thread)
{
    (void)thread;
    pthread_mutex_unlock(&lock->mutex);
}

static inline void mutex_lock_finish(mutex_lock *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}

#endif
