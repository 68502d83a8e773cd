/* SPDX-License-Identifier: MIT */
/* engine/worker.c: what a thread does outside the measured loop. */
#include "engine/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int64_t run_delay_ns(int schedstat)
{
    char text[96];
    char *rest;
    const ssize_t length = schedstat < 0 ? -1 : pread(schedstat, text, sizeof text - 1, 0);

    if (length <= 0)
        return -1;
    text[length] = '\0';
    (void)strtoull(text, &rest, 10); /* time on a CPU; then: time waiting for one */
    return (int64_t)strtoull(rest, NULL, 10);
}

static uint64_t thread_cpu_ns(void)
{
    struct timespec used;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return timespec_ns(used);
}

static uint64_t involuntary_switches(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_nivcsw;
}

/* The bookkeeping stands outside the stamps: it comes before the opening one and after
 * the closing one. */
static void window_opens(struct dwcas_worker *worker, uint64_t ops, uint64_t retries)
{
    worker->window_ops = ops;
    worker->window_retries = retries;
    worker->window_run_delay_ns = run_delay_ns(worker->schedstat);
    worker->window_involuntary = involuntary_switches();
    worker->window_cpu_ns = thread_cpu_ns();
    worker->result.start_ns = clock_ns();
}

static void window_closes(struct dwcas_worker *worker, uint64_t ops, uint64_t retries)
{
    dwcas_thread_result *result = &worker->result;
    int64_t run_delay;

    result->stop_ns = clock_ns();
    result->run_delay_ns = -1;
    if (result->start_ns == 0)
        return; /* it never saw the window open: none of its operations count */
    result->cpu_ns = thread_cpu_ns() - worker->window_cpu_ns;
    result->involuntary = involuntary_switches() - worker->window_involuntary;
    run_delay = run_delay_ns(worker->schedstat);
    if (run_delay >= 0 && worker->window_run_delay_ns >= 0)
        result->run_delay_ns = run_delay - worker->window_run_delay_ns;
    result->ops = ops - worker->window_ops;
    result->retries = retries - worker->window_retries;
}

void dwcas_worker_stamp(struct dwcas_worker *worker, uint32_t phase, uint64_t ops,
                        uint64_t retries)
{
    if (phase == PHASE_WINDOW)
        window_opens(worker, ops, retries);
    else
        window_closes(worker, ops, retries);
}

static int pin(int32_t cpu)
{
    cpu_set_t *set;
    int error;

    if (cpu < 0)
        return 0;
    set = CPU_ALLOC((size_t)cpu + 1);
    if (set == NULL)
        return ENOMEM;
    CPU_ZERO_S(CPU_ALLOC_SIZE((size_t)cpu + 1), set);
    CPU_SET_S((size_t)cpu, CPU_ALLOC_SIZE((size_t)cpu + 1), set);
    error = pthread_setaffinity_np(pthread_self(), CPU_ALLOC_SIZE((size_t)cpu + 1), set);
    CPU_FREE(set);
    return error;
}

/* Waits until all threads stand here; false if the run is called off.
 *
 * Who has passed waits for the others once more, giving up the CPU: if it went straight
 * into the loop, the first threads would use up whole time slices before the last were
 * through, and 128 threads on 2 CPUs took 2 s to start. */
static bool pass_gate(struct dwcas_run_state *run)
{
    int open;

    pthread_mutex_lock(&run->gate);
    run->waiting++;
    pthread_cond_broadcast(&run->changed);
    while ((open = run->open) == 0)
        pthread_cond_wait(&run->changed, &run->gate);
    pthread_mutex_unlock(&run->gate);
    if (open < 0)
        return false;
    atomic_fetch_add_explicit(&run->entered, 1, memory_order_relaxed);
    while (atomic_load_explicit(&run->entered, memory_order_relaxed) < run->plan->threads)
        sched_yield();
    return true;
}

static void leave(struct dwcas_run_state *run)
{
    pthread_mutex_lock(&run->gate);
    run->left++;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->gate);
}

void *dwcas_worker_main(void *argument)
{
    struct dwcas_worker *worker = argument;
    struct dwcas_run_state *run = worker->run;
    const dwcas_plan *plan = run->plan;

    worker->result.pin_errno = pin(plan->cpus == NULL ? -1 : plan->cpus[worker->index]);
    worker->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (pass_gate(run)) {
        run->loop(worker);
        worker->result.cpu = sched_getcpu();
    }
    if (worker->schedstat >= 0)
        close(worker->schedstat);
    leave(run);
    return NULL;
}
