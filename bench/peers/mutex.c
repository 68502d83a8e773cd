/* SPDX-License-Identifier: MIT */
/* The same compare-and-swap under a pthread mutex. */
#include "pair.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static inline bool cas(pair *object, pair *expected, pair desired)
{
    bool ok;

    pthread_mutex_lock(&lock);
    ok = object->lo == expected->lo && object->hi == expected->hi;
    *expected = *object;
    if (ok)
        *object = desired;
    pthread_mutex_unlock(&lock);
    return ok;
}

#include "driver.h"
