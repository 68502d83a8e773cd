/* SPDX-License-Identifier: MIT */
/* locks/give_up.h: giving up the CPU, until the scheduler comes back or for a while. */
#ifndef DWCAS_LOCKS_GIVE_UP_H
#define DWCAS_LOCKS_GIVE_UP_H

#include <stdint.h>

#ifdef DWCAS_CHECKED

static inline void give_up_cpu(void)
{
}

static inline void give_up_us(uint64_t us)
{
    (void)us;
}

#else

#include <sched.h>
#include <time.h>

static inline void give_up_cpu(void)
{
    sched_yield();
}

static inline void give_up_us(uint64_t us)
{
    const struct timespec delay = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};

    nanosleep(&delay, NULL);
}

#endif

#endif
