/* SPDX-License-Identifier: MIT */
/* dwcas/engine.h: run one reservation method, or the insertion around it, from N threads and
 * say what happened.
 *
 * dwcas_run owns the loop: one call is one window. Life of a run: threads start and
 * meet at a gate; warm-up; the window opens and closes by a flag that every thread
 * polls between short batches; threads leave. A thread counts only operations between
 * its own two stamps; the common stamps bound the window.
 *
 * Every run ends: one second after the window closed, waiting methods are told to give
 * up (status DWCAS_RUN_NO_PROGRESS); a second later threads that are still inside are
 * left behind with the memory they use (status DWCAS_RUN_ABANDONED). */
#ifndef DWCAS_ENGINE_H
#define DWCAS_ENGINE_H

#include "dwcas/insert.h"
#include "dwcas/method.h"

typedef enum dwcas_run_status {
    DWCAS_RUN_OK,
    DWCAS_RUN_EMPTY,       /* no operation ended inside the window, all threads left */
    DWCAS_RUN_NO_PROGRESS, /* somebody was still waiting long after it: told to give up */
    DWCAS_RUN_INTERRUPTED, /* a signal arrived: the window was cut short */
    DWCAS_RUN_ABANDONED,   /* threads ignored the abort; plan buffers stay in use */
    DWCAS_RUN_NO_THREAD,   /* the system refused a thread; errno_ says why */
    DWCAS_RUN_NO_MEMORY
} dwcas_run_status;

/* One recorded operation. Times are CLOCK_MONOTONIC ns, positions bytepos. */
typedef struct dwcas_interval {
    uint64_t begin_ns;  /* before the call */
    uint64_t finish_ns; /* after it returned */
    uint64_t start;
    uint64_t end;
    uint64_t prev;
    uint64_t size; /* as asked for */
} dwcas_interval;

/* What one thread did. "Window" is between its own two stamps, "run" is everything,
 * warm-up and drain included. Sums are modulo 2^64. */
typedef struct dwcas_thread_result {
    uint64_t ops;           /* window */
    uint64_t retries;       /* window: failed CAS */
    uint64_t total_ops;     /* run */
    uint64_t total_retries; /* run */
    uint64_t sum_size;      /* run: sum of sizes asked for */
    uint64_t sum_start_end; /* run: sum of start^2 - end^2 */
    uint64_t sum_links;     /* run: sum of prev * start - start * end */
    uint64_t start_ns;      /* own stamps; 0 = never saw the window open / close */
    uint64_t stop_ns;
    uint64_t cpu_ns;      /* window: CPU time */
    int64_t run_delay_ns; /* window: runnable, waiting for a CPU; -1 = not told */
    uint64_t involuntary; /* window: involuntary context switches */
    int32_t cpu;          /* where it ran last */
    int32_t pin_errno;    /* errno of a refused pinning, or 0 */
} dwcas_thread_result;

typedef struct dwcas_plan {
    const dwcas_method *method;
    uint32_t threads;
    const int32_t *cpus;     /* per thread: CPU to pin to, -1 = none */
    const uint32_t *offsets; /* per thread: where in sizes it starts */
    const uint32_t *sizes;   /* record sizes in bytes, aligned; read in a circle */
    uint32_t size_count;
    uint32_t sample_every; /* one operation in about this many is timed */
    uint64_t warmup_ns;
    uint64_t window_ns; /* with a history: the time limit */
    uint64_t start_tip;
    uint64_t start_prev;
    uint64_t history;                /* > 0: operations per thread, all recorded, no window */
    dwcas_interval *recorded;        /* threads x history */
    const dwcas_insert_plan *insert; /* NULL: only reserve */
} dwcas_plan;

/* Buckets of sampled latency in clock ticks: linear below 2^5, then 16 per octave. */
#define DWCAS_LATENCY_BUCKETS (16 * 61)

typedef struct dwcas_result {
    dwcas_run_status status;
    int errno_;
    uint32_t threads_started;
    uint64_t start_ns; /* common stamps, CLOCK_MONOTONIC */
    uint64_t stop_ns;
    uint64_t stamp_gap_ns; /* how long raising a flag took at worst */
    uint64_t left_ns;      /* when the last thread left */
    uint64_t end_tip;      /* from the method's state, after all threads left */
    uint64_t end_prev;
    double ns_per_tick;
    uint64_t latency_max_ticks;
    uint64_t latency_clipped; /* samples whose end was not after their start */
    uint64_t latency[DWCAS_LATENCY_BUCKETS];
    dwcas_insert_result insert; /* of a plan with `insert` */
} dwcas_result;

/* Runs the plan in plan->threads new threads; returns result->status. `threads` is an
 * array of plan->threads. Buffers of the plan must outlive a run that was abandoned. */
dwcas_run_status dwcas_run(const dwcas_plan *plan, dwcas_result *result,
                           dwcas_thread_result *threads);

/* Lowest number of ticks that falls into a bucket (the next bucket's is its end). */
uint64_t dwcas_latency_bucket_low(uint32_t bucket);

/* What reading the sampling clock costs, and the step it advances by, in ns. */
void dwcas_clock_cost(double *cost_ns, double *step_ns);

#endif
