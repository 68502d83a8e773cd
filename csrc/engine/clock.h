/* SPDX-License-Identifier: MIT */
/* engine/clock.h: the two clocks.
 *
 * clock_ns: CLOCK_MONOTONIC, comparable across threads; every stamp. About 20 ns a call.
 * clock_ticks: the CPU's counter, for intervals within one thread only (counters of
 * two sockets may differ); every sampled latency. The fence keeps earlier instructions
 * before the reading; the operation under test starts with an atomic that retires after
 * it. */
#ifndef DWCAS_ENGINE_CLOCK_H
#define DWCAS_ENGINE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t timespec_ns(struct timespec t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline struct timespec ns_timespec(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

static inline uint64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return timespec_ns(now);
}

/* After a stamp: no load behind it is done before the clock is read, which itself waits only for
 * what is before it. (A locked instruction waits by itself.) */
static inline void clock_passed(void)
{
#if defined(__x86_64__)
    __asm__ volatile("lfence" ::: "memory");
#else
    __asm__ volatile("isb" ::: "memory");
#endif
}

/* Before a stamp: what this thread stored is there for others, too. Without it a thread reads its
 * own store first, stamps it, and another that asks later is told what was there before. */
static inline void clock_settled(void)
{
#if defined(__x86_64__)
    __asm__ volatile("mfence" ::: "memory");
#else
    __asm__ volatile("dsb ish" ::: "memory");
#endif
}

static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
#else
    uint64_t ticks;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
#endif
}

#endif
