/* SPDX-License-Identifier: MIT */
/* The same compare-and-swap under a pthread spinlock. */
#include "pair.h"

#include <pthread.h>

static pthread_spinlock_t lock;

__attribute__((constructor)) static void start(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE); /* zero is locked in glibc on x86-64 */
}

static inline bool cas(pair *object, pair *expected, pair desired)
{
    bool ok;

    pthread_spin_lock(&lock);
    ok = object->lo == expected->lo && object->hi == expected->hi;
    *expected = *object;
    if (ok)
        *object = desired;
    pthread_spin_unlock(&lock);
    return ok;
}

#include "driver.h"
