/* SPDX-License-Identifier: MIT */
/* engine/run.c: the controller of a run: threads, phases, stamps, the watchdog. */
#include "engine/memory.h"
#include "wal/insert.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 256 * 1024 };

#define MILLISECOND 1000000ull
#define ENTER_LIMIT_NS (2000 * MILLISECOND) /* warm-up starts at the latest then */
#define DRAIN_LIMIT_NS (1000 * MILLISECOND) /* after the window: tell waiters to give up */
#define ABORT_LIMIT_NS (900 * MILLISECOND)  /* after that: leave threads behind */

/* Sleeps until then; false if a signal handler ran in this thread meanwhile. */
static bool sleep_until(uint64_t then_ns)
{
    const struct timespec then = ns_timespec(then_ns);

    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) != EINTR;
}

/* Waits until all threads have left or the time is over; returns whether they have. */
static bool all_left_by(struct dwcas_run_state *run, uint32_t threads, uint64_t then_ns)
{
    const struct timespec then = ns_timespec(then_ns);
    bool all;

    pthread_mutex_lock(&run->gate);
    while (run->left < threads &&
           pthread_cond_timedwait(&run->changed, &run->gate, &then) != ETIMEDOUT) {
    }
    all = run->left == threads;
    pthread_mutex_unlock(&run->gate);
    return all;
}

/* Raises a phase and returns its stamp: the time just before the flag was visible. A
 * controller that was preempted in between would stretch the window unseen, so the gap
 * is part of the result. */
static uint64_t raise_phase(struct dwcas_run_state *run, uint32_t phase, dwcas_result *result)
{
    const uint64_t before = clock_ns();
    uint64_t gap;

    atomic_store_explicit(&run->phase, phase, memory_order_release);
    gap = clock_ns() - before;
    if (gap > result->stamp_gap_ns)
        result->stamp_gap_ns = gap;
    return before;
}

static uint32_t start_threads(struct dwcas_run_state *run, dwcas_result *result)
{
    const uint32_t threads = run->plan->threads;
    pthread_attr_t attributes;
    sigset_t every, before;
    uint32_t started = 0;
    int error = 0;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    /* Workers inherit a full mask: a signal goes to the caller, whose sleep it ends. */
    sigfillset(&every);
    pthread_sigmask(SIG_BLOCK, &every, &before);
    while (started < threads && error == 0) {
        struct dwcas_worker *worker = &run->workers[started];

        worker->run = run;
        worker->index = started;
        worker->thread.abort = &run->abort;
        worker->thread.number = started;
        worker->thread.random = 0x9e3779b97f4a7c15u * (started + 1);
        error = pthread_create(&worker->handle, &attributes, dwcas_worker_main, worker);
        started += error == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    result->errno_ = error;
    result->threads_started = started;
    return started;
}

static void open_gate(struct dwcas_run_state *run, uint32_t threads, int open)
{
    pthread_mutex_lock(&run->gate);
    while (run->waiting < threads)
        pthread_cond_wait(&run->changed, &run->gate);
    run->open = open;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->gate);
}

/* Warm-up counts from when the last thread passed the gate. */
static bool warm_up(struct dwcas_run_state *run)
{
    const uint64_t limit = clock_ns() + ENTER_LIMIT_NS;

    while (atomic_load_explicit(&run->entered, memory_order_relaxed) < run->plan->threads &&
           clock_ns() < limit)
        if (!sleep_until(clock_ns() + MILLISECOND))
            return false;
    return sleep_until(clock_ns() + run->plan->warmup_ns);
}

static void measure(struct dwcas_run_state *run, dwcas_result *result)
{
    uint64_t start_ticks;
    bool undisturbed;

    undisturbed = warm_up(run);
    start_ticks = clock_ticks();
    result->start_ns = raise_phase(run, PHASE_WINDOW, result);
    if (undisturbed)
        undisturbed = sleep_until(result->start_ns + run->plan->window_ns);
    result->stop_ns = raise_phase(run, PHASE_STOP, result);
    result->ns_per_tick =
        (double)(clock_ns() - result->start_ns) / (double)(clock_ticks() - start_ticks);
    if (!undisturbed)
        result->status = DWCAS_RUN_INTERRUPTED;
}

/* A history has no window: threads stop by themselves, or at the limit. Looking at the
 * count every few milliseconds keeps Ctrl-C quick; a condition variable would not. */
static void record(struct dwcas_run_state *run, dwcas_result *result)
{
    const uint32_t threads = run->plan->threads;

    result->start_ns = clock_ns();
    result->ns_per_tick = 1.0;
    while (!all_left_by(run, threads, 0) && clock_ns() - result->start_ns < run->plan->window_ns)
        if (!sleep_until(clock_ns() + 2 * MILLISECOND)) {
            result->status = DWCAS_RUN_INTERRUPTED;
            break;
        }
    result->stop_ns = raise_phase(run, PHASE_STOP, result);
}

/* True when all threads are out and may be joined. */
static bool drain(struct dwcas_run_state *run, dwcas_result *result)
{
    const uint32_t threads = run->plan->threads;

    if (!all_left_by(run, threads, result->stop_ns + DRAIN_LIMIT_NS)) {
        result->status = DWCAS_RUN_NO_PROGRESS;
        atomic_store_explicit(&run->abort, 1, memory_order_release);
        if (!all_left_by(run, threads, result->stop_ns + DRAIN_LIMIT_NS + ABORT_LIMIT_NS)) {
            result->status = DWCAS_RUN_ABANDONED;
            return false;
        }
    }
    result->left_ns = clock_ns();
    return true;
}

static void join(struct dwcas_run_state *run, uint32_t threads)
{
    for (uint32_t i = 0; i < threads; i++)
        pthread_join(run->workers[i].handle, NULL);
}

static void collect(struct dwcas_run_state *run, dwcas_result *result,
                    dwcas_thread_result *threads)
{
    uint64_t ops = 0;

    for (uint32_t i = 0; i < run->plan->threads; i++) {
        const struct dwcas_worker *worker = &run->workers[i];

        threads[i] = worker->result;
        ops += worker->result.ops;
        result->latency_clipped += worker->latency_clipped;
        if (worker->latency_max_ticks > result->latency_max_ticks)
            result->latency_max_ticks = worker->latency_max_ticks;
        for (uint32_t b = 0; b < DWCAS_LATENCY_BUCKETS; b++)
            result->latency[b] += worker->latency[b];
    }
    if (ops == 0 && result->status == DWCAS_RUN_OK)
        result->status = DWCAS_RUN_EMPTY;
}

/* Threads are still inside: read only what they publish, keep all they may touch. */
static void abandon(struct dwcas_run_state *run, dwcas_result *result,
                    dwcas_thread_result *threads)
{
    result->left_ns = clock_ns();
    for (uint32_t i = 0; i < run->plan->threads; i++) {
        threads[i].total_ops =
            atomic_load_explicit(&run->workers[i].progress, memory_order_relaxed);
        threads[i].run_delay_ns = -1;
        pthread_detach(run->workers[i].handle);
    }
}

static void free_memory(struct dwcas_run_state *run)
{
    free(run->sizes);
    free(run->workers);
    free(run);
}

/* What the threads call: a method, or the insertion around it. */
static bool open_subject(struct dwcas_run_state *run, const dwcas_plan *plan)
{
    const dwcas_method *method = plan->method;
    const bool history = plan->history > 0;

    if (plan->insert != NULL) {
        run->method_state = dwcas_insert_open(plan);
        run->loop = history ? dwcas_insert_history_loop : dwcas_insert_window_loop;
        return run->method_state != NULL;
    }
    run->method_state = aligned_zeroed(method->state_bytes);
    run->loop = history ? method->history_loop : method->window_loop;
    if (run->method_state == NULL)
        return false;
    method->start(run->method_state, plan->start_tip, plan->start_prev);
    return true;
}

static void close_subject(struct dwcas_run_state *run, dwcas_result *result)
{
    if (run->plan->insert != NULL) {
        dwcas_insert_close(run->method_state, result);
        return;
    }
    run->plan->method->finish(run->method_state, &result->end_tip, &result->end_prev);
    free(run->method_state);
}

static struct dwcas_run_state *make_state(const dwcas_plan *plan)
{
    struct dwcas_run_state *run = aligned_zeroed(sizeof *run);
    pthread_condattr_t monotonic;

    if (run == NULL)
        return NULL;
    run->workers = aligned_zeroed(plan->threads * sizeof *run->workers);
    run->sizes = malloc((plan->size_count + DWCAS_BATCH + 1) * sizeof *run->sizes);
    if (run->workers == NULL || run->sizes == NULL || !open_subject(run, plan)) {
        free_memory(run);
        return NULL;
    }
    for (uint32_t i = 0; i < plan->size_count + DWCAS_BATCH + 1; i++)
        run->sizes[i] = plan->sizes[i % plan->size_count];
    pthread_mutex_init(&run->gate, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&run->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return run;
}

static void free_state(struct dwcas_run_state *run)
{
    pthread_cond_destroy(&run->changed);
    pthread_mutex_destroy(&run->gate);
    free_memory(run);
}

dwcas_run_status dwcas_run(const dwcas_plan *plan, dwcas_result *result,
                           dwcas_thread_result *threads)
{
    struct dwcas_run_state *run = make_state(plan);
    uint32_t started;

    memset(result, 0, sizeof *result);
    memset(threads, 0, plan->threads * sizeof *threads);
    if (run == NULL)
        return result->status = DWCAS_RUN_NO_MEMORY;
    run->plan = plan;
    started = start_threads(run, result);
    open_gate(run, started, started == plan->threads ? 1 : -1);
    if (started < plan->threads) {
        result->status = DWCAS_RUN_NO_THREAD;
        join(run, started);
    } else {
        if (plan->history > 0)
            record(run, result);
        else
            measure(run, result);
        if (!drain(run, result)) {
            abandon(run, result, threads);
            return result->status;
        }
        join(run, started);
        collect(run, result, threads);
    }
    close_subject(run, result);
    free_state(run);
    return result->status;
}

uint64_t dwcas_latency_bucket_low(uint32_t bucket)
{
    return latency_bucket_low(bucket);
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Readings are further apart than the counter's step; the greatest common divisor of
 * many distances is the step. */
void dwcas_clock_cost(double *cost_ns, double *step_ns)
{
    enum { READINGS = 2000 };
    const uint64_t begin_ns = clock_ns(), begin = clock_ticks();
    uint64_t step = 0, last = begin;
    double ns_per_tick;

    for (int i = 0; i < READINGS; i++) {
        const uint64_t now = clock_ticks();

        step = greatest_common_divisor(now - last, step);
        last = now;
    }
    *cost_ns = (double)(clock_ns() - begin_ns) / READINGS;
    ns_per_tick = (double)(clock_ns() - begin_ns) / (double)(clock_ticks() - begin);
    *step_ns = (double)step * ns_per_tick;
}
