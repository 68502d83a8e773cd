/* SPDX-License-Identifier: MIT */
/* driver.h: the same measured loop for every peer. A peer defines before including this
 *   static bool cas(pair *object, pair *expected, pair desired)
 * which on a failure leaves in `expected` what was there. Each thread increments both
 * halves `operations` times; run() returns the ns from when all have started until all are
 * done, 0 if a thread could not be started, 1 if the sum is wrong. */
#ifndef DWCAS_BENCH_DRIVER_H
#define DWCAS_BENCH_DRIVER_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

struct job {
    pthread_t thread;
    int cpu;
    uint64_t operations;
};

static _Alignas(128) pair shared;
static _Alignas(128) _Atomic int waiting;
static _Alignas(128) _Atomic int go;

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *increment(void *argument)
{
    const struct job *job = argument;

    atomic_fetch_add(&waiting, 1);
    /* Not yielding: that may cost a whole time slice, and the others would be alone. */
    while (!atomic_load(&go)) {
    }
    for (uint64_t i = 0; i < job->operations; i++) {
        pair seen = {__atomic_load_n(&shared.lo, __ATOMIC_RELAXED),
                     __atomic_load_n(&shared.hi, __ATOMIC_RELAXED)};

        while (!cas(&shared, &seen, (pair){seen.lo + 1, seen.hi + 1})) {
        }
    }
    return NULL;
}

uint64_t run(int threads, const int *cpus, uint64_t operations)
{
    struct job jobs[64];
    uint64_t begin, spent;
    int started = 0;

    shared = (pair){0, 0};
    waiting = 0;
    go = 0;
    for (; started < threads && started < 64; started++) {
        struct job *job = &jobs[started];
        pthread_attr_t attributes;
        cpu_set_t set;
        int error;

        CPU_ZERO(&set);
        CPU_SET(cpus[started], &set);
        job->operations = operations;
        pthread_attr_init(&attributes);
        pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
        error = pthread_create(&job->thread, &attributes, increment, job);
        pthread_attr_destroy(&attributes);
        if (error != 0)
            break;
    }
    while (atomic_load(&waiting) < started)
        sched_yield();
    begin = now_ns();
    atomic_store(&go, 1);
    for (int i = 0; i < started; i++)
        pthread_join(jobs[i].thread, NULL);
    spent = now_ns() - begin;
    if (started < threads)
        return 0;
    return shared.lo == (uint64_t)threads * operations && shared.hi == shared.lo ? spent : 1;
}

#endif
