/* SPDX-License-Identifier: MIT */
/* cost/cost.c: the measurements of dwcas/cost.h. Each call starts the threads it needs,
 * pinned, and joins them: nothing runs between calls. */
#include "dwcas/cost.h"

#include "cost/walks.h"
#include "dwcas/backend.h"
#include "engine/clock.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ull

static const struct {
    const char *name;
    int bytes;
    bool returns;
} operations[] = {
#define COST(name, bytes, returns, expression) {#name, bytes, returns},
#include "cost/operations.def"
#undef COST
};

bool dwcas_cost_at(size_t index, const char **name, int *bytes, bool *returns)
{
    if (index >= DWCAS_COSTS)
        return false;
    *name = operations[index].name;
    *bytes = operations[index].bytes;
    *returns = operations[index].returns;
    return true;
}

static void flush(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("clflush (%0)" ::"r"(line) : "memory");
#else
    __asm__ volatile("dc civac, %0" ::"r"(line) : "memory");
#endif
}

static void fence(void)
{
    atomic_thread_fence(memory_order_seq_cst);
#if !defined(__x86_64__)
    __asm__ volatile("dsb ish" ::: "memory");
#endif
}

/* Every line once, in an order that no prefetcher guesses. */
static void shuffle(uint32_t *order, size_t count)
{
    uint64_t random = 0x9e3779b97f4a7c15u;

    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count - 1; i > 0; i--) {
        uint32_t swapped = order[i];
        size_t j;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        j = random % (i + 1);
        order[i] = order[j];
        order[j] = swapped;
    }
}

/* Runs `body` in a thread of its own on that CPU; false if there is none to be had. */
static bool on_cpu(int cpu, void *(*body)(void *), void *argument, pthread_t *thread)
{
    pthread_attr_t attributes;
    cpu_set_t set;
    int error;

    CPU_ZERO(&set);
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return false;
    CPU_SET(cpu, &set);
    pthread_attr_init(&attributes);
    error = pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
    if (error == 0)
        error = pthread_create(thread, &attributes, body, argument);
    pthread_attr_destroy(&attributes);
    return error == 0;
}

static double alone(int cpu, void *(*body)(void *), void *argument, const double *ns)
{
    pthread_t thread;

    if (!on_cpu(cpu, body, argument, &thread))
        return NAN;
    pthread_join(thread, NULL);
    return *ns;
}

struct local {
    dwcas_walk *walk;
    size_t lines;
    bool flushed;
    double ns;
};

static void *measure_local(void *argument)
{
    enum { LEAST_OPERATIONS = 16384 };
    struct local *local = argument;
    const size_t passes =
        local->flushed ? 1 : (LEAST_OPERATIONS + local->lines - 1) / local->lines;
    dwcas_line *lines = aligned_alloc(LINE, local->lines * sizeof *lines);
    uint32_t *order = malloc(local->lines * sizeof *order);
    uint64_t spent;

    if (lines != NULL && order != NULL) {
        memset(lines, 0, local->lines * sizeof *lines);
        shuffle(order, local->lines);
        (void)local->walk(lines, order, local->lines); /* into the caches, and the TLB */
        if (local->flushed)
            for (size_t i = 0; i < local->lines; i++)
                flush(&lines[i]);
        fence();
        spent = clock_ns();
        for (size_t i = 0; i < passes; i++)
            (void)local->walk(lines, order, local->lines);
        fence();
        spent = clock_ns() - spent;
        local->ns = (double)spent / (double)(passes * local->lines);
    }
    free(order);
    free(lines);
    return NULL;
}

double dwcas_cost_local(size_t operation, size_t bytes, bool flushed, int cpu)
{
    struct local local = {dwcas_backend_chosen()->walks->walk[operation], bytes / LINE, flushed,
                          NAN};

    return local.lines == 0 ? NAN : alone(cpu, measure_local, &local, &local.ns);
}

/* Two threads take turns: a turn is taken when `turn` shows one's number. A turn that does
 * not come within seconds ends both. */
enum { LINES = 256, TURNS = 60 };

struct remote {
    _Alignas(128) _Atomic int turn;
    _Alignas(128) dwcas_line lines[LINES];
    uint32_t order[LINES];
    dwcas_walk *walk;
    int state;
    double ns;
};

static bool await(_Atomic int *turn, int wanted)
{
    const uint64_t limit = clock_ns() + 5 * SECOND;
    int seen;

    for (unsigned spins = 1; (seen = atomic_load(turn)) != wanted; spins++) {
        if (seen < 0)
            return false;
        if (spins % 1024 == 0) {
            sched_yield();
            if (clock_ns() > limit) {
                atomic_store(turn, -1);
                return false;
            }
        }
    }
    return true;
}

static void read_all(const struct remote *remote)
{
    for (int i = 0; i < LINES; i++)
        (void)__atomic_load_n(&remote->lines[i].pair.lo, __ATOMIC_ACQUIRE);
    fence();
}

static void *own_lines(void *argument)
{
    struct remote *remote = argument;

    for (int i = 0; i < TURNS; i++) {
        if (!await(&remote->turn, 2 * i))
            return NULL;
        for (int l = 0; l < LINES; l++)
            __atomic_store_n(&remote->lines[l].pair.lo, 0, __ATOMIC_RELEASE);
        fence();
        /* Shared starts from exclusive too: a load of a modified line may move it whole. */
        if (remote->state != DWCAS_MODIFIED) {
            for (int l = 0; l < LINES; l++)
                flush(&remote->lines[l]);
            fence();
            read_all(remote);
        }
        atomic_store(&remote->turn, 2 * i + 1);
    }
    return NULL;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void *use_lines(void *argument)
{
    struct remote *remote = argument;
    double samples[TURNS];

    for (int i = 0; i < TURNS; i++) {
        uint64_t begin;

        if (!await(&remote->turn, 2 * i + 1))
            return NULL;
        if (remote->state == DWCAS_SHARED)
            read_all(remote);
        begin = clock_ns();
        (void)remote->walk(remote->lines, remote->order, LINES);
        fence();
        samples[i] = (double)(clock_ns() - begin) / LINES;
        atomic_store(&remote->turn, 2 * i + 2);
    }
    qsort(samples, TURNS, sizeof *samples, compare_doubles);
    remote->ns = samples[TURNS / 2]; /* turns astride an interrupt are far off: their median */
    return NULL;
}

static double both(int a, void *(*body_a)(void *), int b, void *(*body_b)(void *), void *argument,
                   _Atomic int *turn, const double *ns)
{
    pthread_t first, second;

    if (!on_cpu(a, body_a, argument, &first))
        return NAN;
    if (!on_cpu(b, body_b, argument, &second)) {
        atomic_store(turn, -1);
        pthread_join(first, NULL);
        return NAN;
    }
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return *ns;
}

double dwcas_cost_remote(size_t operation, int state, int owner, int cpu)
{
    struct remote *remote = aligned_alloc(128, (sizeof *remote + 127) / 128 * 128);
    double ns;

    if (remote == NULL)
        return NAN;
    memset(remote, 0, sizeof *remote);
    remote->walk = dwcas_backend_chosen()->walks->walk[operation];
    remote->state = state;
    remote->ns = NAN;
    shuffle(remote->order, LINES);
    ns = both(owner, own_lines, cpu, use_lines, remote, &remote->turn, &remote->ns);
    free(remote);
    return ns;
}

enum { ROUND_TRIPS = 3000 };

struct handoff {
    _Alignas(128) dwcas_atomic_pair ball;
    _Alignas(128) _Atomic int turn; /* -1: the other has given up */
    const dwcas_pair_operations *wide;
    double ns;
};

/* Waits until the ball shows `wanted`, then makes it `wanted` + 1. */
static bool pass(struct handoff *handoff, uint64_t wanted)
{
    const uint64_t limit = clock_ns() + 5 * SECOND;
    const dwcas_pair seen = {wanted, wanted}, next = {wanted + 1, wanted + 1};

    for (unsigned spins = 1;; spins++) {
        if (handoff->wide != NULL
                ? handoff->wide->compare_and_set[DWCAS_ACQ_REL](&handoff->ball, seen, next)
                : __atomic_load_n(&handoff->ball.lo, __ATOMIC_ACQUIRE) == wanted) {
            if (handoff->wide == NULL)
                __atomic_store_n(&handoff->ball.lo, wanted + 1, __ATOMIC_RELEASE);
            return true;
        }
        if (spins % 1024 == 0) {
            sched_yield();
            if (atomic_load(&handoff->turn) < 0)
                return false;
            if (clock_ns() > limit) {
                atomic_store(&handoff->turn, -1);
                return false;
            }
        }
    }
}

static void *answer(void *argument)
{
    for (uint64_t i = 0; i < ROUND_TRIPS; i++)
        if (!pass(argument, 2 * i + 1))
            break;
    return NULL;
}

static void *serve(void *argument)
{
    struct handoff *handoff = argument;
    uint64_t begin = 0;

    for (uint64_t i = 0; i < ROUND_TRIPS; i++) {
        if (i == ROUND_TRIPS / 10)
            begin = clock_ns(); /* both are up to speed */
        if (!pass(handoff, 2 * i))
            return NULL;
    }
    handoff->ns = (double)(clock_ns() - begin) / (2.0 * (ROUND_TRIPS - ROUND_TRIPS / 10));
    return NULL;
}

double dwcas_cost_handoff(bool wide, int a, int b)
{
    struct handoff *handoff = aligned_alloc(128, (sizeof *handoff + 127) / 128 * 128);
    double ns;

    if (handoff == NULL)
        return NAN;
    memset(handoff, 0, sizeof *handoff);
    handoff->wide = wide ? dwcas_backend_chosen()->operations : NULL;
    handoff->ns = NAN;
    ns = both(a, serve, b, answer, handoff, &handoff->turn, &handoff->ns);
    free(handoff);
    return ns;
}

static void *measure_cycle(void *argument)
{
    enum { ADDITIONS = 1 << 20 };
    uint64_t sum = 0;
    const uint64_t begin = clock_ns();

    /* Eight additions a pass, each waiting for the one before. */
    for (uint32_t i = 0; i < ADDITIONS / 8; i++)
#if defined(__x86_64__)
        __asm__ volatile("add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
                         "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0"
                         : "+r"(sum)
                         : "r"(begin)
                         : "cc");
#else
        __asm__ volatile("add %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\t"
                         "add %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1"
                         : "+r"(sum)
                         : "r"(begin));
#endif
    *(double *)argument = (double)(clock_ns() - begin) / ADDITIONS;
    return NULL;
}

double dwcas_cost_cycle_ns(int cpu)
{
    double ns = NAN;

    return alone(cpu, measure_cycle, &ns, &ns);
}
