/* SPDX-License-Identifier: MIT */
/* pair_threads_test.c: several threads on one pair, for every backend that this CPU has.
 *
 * Torn: writers keep pairs that no mixture of two can be; readers by load and by a failing
 * compare_exchange must never see a mixture. Beside them a reader reads the halves one by
 * one, and the run goes on until it has seen five mixtures: had load or compare_exchange
 * been torn as often, they would have shown it with 99 % probability (exp(-5) = 0.7 %).
 * Mixed: two threads each repeat one operation, for every pair of operations, the 8-byte
 * ones included; each operation's effect can be counted in the end, so a lost one shows. */
#include "check.h"
#include "dwcas/backend.h"
#include "engine/clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

static bool same(dwcas_pair a, dwcas_pair b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

enum { WRITERS = 2, READERS = 2, LEAST_READS = 20000, MIXTURES = 5, LIMIT_SECONDS = 10 };

struct shared {
    const dwcas_backend *backend;
    dwcas_atomic_pair object;
    time_t limit;
    _Atomic int reading;
    _Atomic uint64_t added;
    _Atomic long torn_loads, torn_misses, torn_on_purpose;
};

/* hi == ~lo * 3, which no mixture of two such pairs fulfils. */
static dwcas_pair consistent(uint64_t lo)
{
    return (dwcas_pair){lo, ~lo * 3};
}

static bool torn(dwcas_pair pair)
{
    return !same(pair, consistent(pair.lo));
}

static void *add(void *argument)
{
    struct shared *s = argument;
    const dwcas_pair_operations *o = s->backend->operations;
    uint64_t i = 0;

    for (; atomic_load(&s->reading) > 0; i++) {
        dwcas_pair seen = o->load[DWCAS_ACQUIRE](&s->object);

        /* Both CAS forms must agree with each other on one object. */
        if (i % 2 == 0)
            while (!o->compare_exchange[DWCAS_ACQ_REL](&s->object, seen, consistent(seen.lo + 1),
                                                       &seen)) {
            }
        else
            while (!o->compare_and_set[DWCAS_ACQ_REL](&s->object, seen, consistent(seen.lo + 1)))
                seen = o->load[DWCAS_ACQUIRE](&s->object);
    }
    atomic_fetch_add(&s->added, i);
    return NULL;
}

static void *read_all(void *argument)
{
    struct shared *s = argument;
    const dwcas_pair_operations *o = s->backend->operations;
    const dwcas_pair impossible = {1, 1};

    for (long i = 0;
         i < LEAST_READS || (atomic_load(&s->torn_on_purpose) < MIXTURES && time(NULL) < s->limit);
         i++) {
        dwcas_pair seen = o->load[DWCAS_ACQUIRE](&s->object);

        if (torn(seen))
            atomic_fetch_add(&s->torn_loads, 1);
        if (o->compare_exchange[DWCAS_ACQUIRE](&s->object, impossible, impossible, &seen) ||
            torn(seen))
            atomic_fetch_add(&s->torn_misses, 1);
        seen.lo = o->load_half[DWCAS_LO][DWCAS_ACQUIRE](&s->object);
        seen.hi = o->load_half[DWCAS_HI][DWCAS_ACQUIRE](&s->object);
        if (torn(seen))
            atomic_fetch_add(&s->torn_on_purpose, 1);
    }
    atomic_fetch_sub(&s->reading, 1);
    return NULL;
}

static void test_tearing(const dwcas_backend *backend)
{
    static struct shared s;
    pthread_t threads[WRITERS + READERS];
    dwcas_pair end;

    memset(&s, 0, sizeof s);
    s.backend = backend;
    s.reading = READERS;
    s.limit = time(NULL) + LIMIT_SECONDS;
    backend->operations->store[DWCAS_SEQ_CST](&s.object, consistent(0));
    for (int i = 0; i < WRITERS + READERS; i++)
        pthread_create(&threads[i], NULL, i < WRITERS ? add : read_all, &s);
    for (int i = 0; i < WRITERS + READERS; i++)
        pthread_join(threads[i], NULL);
    end = consistent(s.added);
    CHECK(same((dwcas_pair){s.object.lo, s.object.hi}, end), "%s lost updates: %llu of %llu",
          backend->name, (unsigned long long)s.object.lo, (unsigned long long)end.lo);
    CHECK(s.torn_loads == 0, "%s: %ld torn loads", backend->name, (long)s.torn_loads);
    CHECK(s.torn_misses == 0, "%s: %ld torn misses", backend->name, (long)s.torn_misses);
    printf("%s: %llu updates; a reader torn on purpose saw %ld mixtures%s\n", backend->name,
           (unsigned long long)s.added, (long)s.torn_on_purpose,
           s.torn_on_purpose < MIXTURES ? ": too few for a statement" : "");
}

/* Operations that leave the other thread's part of each half alone: the low 32 bits of each
 * half are thread 0's, the high ones thread 1's, and `one` is 1 or 2^32. An operation that
 * was not atomic against the other's would lose some of the other's. */
enum operation {
    ADD,
    ADD_LANES,
    SUB,
    CAS,
    SET,
    EXCHANGE_LO_ADD_HI,
    ADD_LO,
    ADD_HI,
    XOR,
    OR,
    AND,
    MAX,
    MIN,
    MAX_SIGNED,
    MIN_SIGNED,
    OPERATIONS
};

static const char *const operations[] = {
    "fetch_add",       "fetch_add_lanes",    "fetch_sub",        "compare_exchange",
    "compare_and_set", "exchange_lo_add_hi", "fetch_add_lo",     "fetch_add_hi",
    "fetch_xor",       "fetch_or",           "fetch_and",        "fetch_max",
    "fetch_min",       "fetch_max_signed",   "fetch_min_signed",
};

/* What `count` of them leave in the thread's part of {lo, hi}, in units of `one`. */
static dwcas_pair left_by(enum operation operation, uint64_t count)
{
    switch (operation) {
    case ADD_LO:
        return (dwcas_pair){count, 0};
    case ADD_HI:
    case EXCHANGE_LO_ADD_HI:
        return (dwcas_pair){0, count};
    case XOR:
        return (dwcas_pair){count % 2, count % 2};
    case OR:
        return (dwcas_pair){1, 1};
    case AND:
    case MAX:
    case MIN:
    case MAX_SIGNED:
    case MIN_SIGNED:
        return (dwcas_pair){0, 0};
    default:
        return (dwcas_pair){count, count};
    }
}

struct mixer {
    const dwcas_pair_operations *o;
    dwcas_atomic_pair *object;
    enum operation operation;
    uint64_t one;
    uint64_t count;
};

static void once(const struct mixer *m)
{
    const dwcas_pair_operations *o = m->o;
    const uint64_t one = m->one, mine = one * 0xffffffffull;
    const dwcas_pair both = {one, one};
    const dwcas_pair highest = {~0ull, ~0ull >> 1}, lowest = {0, 1ull << 63};
    dwcas_pair seen = o->load[DWCAS_RELAXED](m->object);

    switch (m->operation) {
    case ADD: /* halves do not carry into each other here, so it is the sum of lanes */
        (void)o->fetch[DWCAS_fetch_add][DWCAS_RELAXED](m->object, both);
        break;
    case ADD_LANES:
        (void)o->fetch[DWCAS_fetch_add_lanes][DWCAS_ACQ_REL](m->object, both);
        break;
    case SUB: /* of 2^128 - both */
        (void)o->fetch[DWCAS_fetch_sub][DWCAS_SEQ_CST](m->object, (dwcas_pair){0 - one, ~one});
        break;
    case CAS:
        while (!o->compare_exchange[DWCAS_ACQ_REL](
            m->object, seen, (dwcas_pair){seen.lo + one, seen.hi + one}, &seen)) {
        }
        break;
    case SET:
        while (!o->compare_and_set[DWCAS_RELEASE](m->object, seen,
                                                  (dwcas_pair){seen.lo + one, seen.hi + one}))
            seen = o->load[DWCAS_RELAXED](m->object);
        break;
    case EXCHANGE_LO_ADD_HI:
        (void)o->fetch[DWCAS_exchange_lo_add_hi][DWCAS_ACQUIRE](m->object,
                                                                (dwcas_pair){seen.lo, one});
        break;
    case ADD_LO:
        (void)o->fetch_add_half[DWCAS_LO][DWCAS_RELAXED](m->object, one);
        break;
    case ADD_HI:
        (void)o->fetch_add_half[DWCAS_HI][DWCAS_ACQ_REL](m->object, one);
        break;
    case XOR:
        (void)o->fetch[DWCAS_fetch_xor][DWCAS_RELAXED](m->object, both);
        break;
    case OR:
        (void)o->fetch[DWCAS_fetch_or][DWCAS_RELEASE](m->object, both);
        break;
    case AND:
        (void)o->fetch[DWCAS_fetch_and][DWCAS_ACQUIRE](m->object, (dwcas_pair){~mine, ~mine});
        break;
    case MAX: /* the last four write back what they find */
        (void)o->fetch[DWCAS_fetch_max][DWCAS_RELAXED](m->object, (dwcas_pair){0, 0});
        break;
    case MIN:
        (void)o->fetch[DWCAS_fetch_min][DWCAS_ACQ_REL](m->object, (dwcas_pair){~0ull, ~0ull});
        break;
    case MAX_SIGNED:
        (void)o->fetch[DWCAS_fetch_max_signed][DWCAS_SEQ_CST](m->object, lowest);
        break;
    default:
        (void)o->fetch[DWCAS_fetch_min_signed][DWCAS_RELAXED](m->object, highest);
        break;
    }
}

/* Both at once: without it the first would be done before the second has started. */
enum { TOGETHER_NS = 500000 };

static _Atomic int arrived;

/* Returns until when both go on. By time, not by count: a fast operation would be done
 * before a slow one has got hold of the line. */
static uint64_t meet(void)
{
    uint64_t patience = clock_ns() + 20 * TOGETHER_NS;

    atomic_fetch_add(&arrived, 1);
    /* Not yielding at first: that may cost a whole time slice, and the other is done. */
    while (atomic_load(&arrived) < 2)
        if (clock_ns() > patience)
            sched_yield();
    return clock_ns() + TOGETHER_NS;
}

static void *repeat(void *argument)
{
    struct mixer *m = argument;
    const uint64_t limit = meet();

    while (clock_ns() < limit)
        for (int i = 0; i < 101; i++, m->count++)
            once(m);
    return NULL;
}

/* The n-th CPU that this process may use, round and round. */
static void pin_to(pthread_attr_t *attributes, int n)
{
    cpu_set_t allowed, one;

    CPU_ZERO(&allowed);
    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof allowed, &allowed);
    n %= CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && n-- == 0)
            CPU_SET(cpu, &one);
    pthread_attr_setaffinity_np(attributes, sizeof one, &one);
}

/* Each on a CPU of its own: threads as short as these would end on the one they start on. */
static void run_two(void *(*body)(void *), void *first, void *second)
{
    pthread_t threads[2];
    pthread_attr_t attributes;

    atomic_store(&arrived, 0);
    pthread_attr_init(&attributes);
    pin_to(&attributes, 0);
    pthread_create(&threads[0], &attributes, body, first);
    pin_to(&attributes, 1);
    pthread_create(&threads[1], &attributes, body, second);
    pthread_attr_destroy(&attributes);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

static void test_mixed(const dwcas_backend *backend, enum operation a, enum operation b)
{
    static dwcas_atomic_pair object;
    struct mixer mixers[2] = {
        {backend->operations, &object, a, 1, 0},
        {backend->operations, &object, b, 1ull << 32, 0},
    };
    dwcas_pair of_a, of_b;
    const bool lo_is_overwritten = a == EXCHANGE_LO_ADD_HI || b == EXCHANGE_LO_ADD_HI;

    object = (dwcas_atomic_pair){0, 0};
    run_two(repeat, &mixers[0], &mixers[1]);
    of_a = left_by(a, mixers[0].count);
    of_b = left_by(b, mixers[1].count);
    CHECK(object.hi == of_a.hi + (of_b.hi << 32), "%s: %s beside %s: hi %#llx", backend->name,
          operations[a], operations[b], (unsigned long long)object.hi);
    CHECK(lo_is_overwritten || object.lo == of_a.lo + (of_b.lo << 32),
          "%s: %s beside %s: lo %#llx", backend->name, operations[a], operations[b],
          (unsigned long long)object.lo);
}

/* What goes in comes out: of all values exchanged or stored, each is returned once, but the
 * one that is left. Nand with ones twice is nothing. */
struct swapper {
    const dwcas_pair_operations *o;
    dwcas_atomic_pair *object;
    uint64_t first;
    uint64_t count;
    dwcas_pair returned;
};

static void *swap(void *argument)
{
    struct swapper *s = argument;
    const uint64_t limit = meet();

    for (; s->count % 64 != 0 || clock_ns() < limit; s->count++) {
        const uint64_t number = s->first + s->count;
        const dwcas_pair out = s->o->fetch[DWCAS_exchange][DWCAS_ACQ_REL](
            s->object, (dwcas_pair){number, ~number * 3});

        s->returned.lo += out.lo;
        s->returned.hi += out.hi;
    }
    return NULL;
}

static void *invert_twice(void *argument)
{
    struct swapper *s = argument;
    const uint64_t limit = meet();

    for (s->count = 0; s->count % 64 != 0 || clock_ns() < limit; s->count++)
        (void)s->o->fetch[DWCAS_fetch_nand][DWCAS_RELAXED](s->object, (dwcas_pair){~0ull, ~0ull});
    return NULL;
}

static void test_exchange_and_nand(const dwcas_backend *backend)
{
    static dwcas_atomic_pair object;
    struct swapper swappers[2] = {
        {backend->operations, &object, 1, 0, {0, 0}},
        {backend->operations, &object, 1ull << 40, 0, {0, 0}},
    };
    uint64_t lo = 0, hi = 0;

    object = (dwcas_atomic_pair){0, 0};
    run_two(swap, &swappers[0], &swappers[1]);
    for (int t = 0; t < 2; t++)
        for (uint64_t i = 0; i < swappers[t].count; i++) {
            lo += swappers[t].first + i;
            hi += ~(swappers[t].first + i) * 3;
        }
    CHECK(swappers[0].returned.lo + swappers[1].returned.lo + object.lo == lo &&
              swappers[0].returned.hi + swappers[1].returned.hi + object.hi == hi,
          "%s: exchange lost or doubled a pair", backend->name);
    object = (dwcas_atomic_pair){5, 6};
    run_two(invert_twice, &swappers[0], &swappers[1]);
    CHECK(object.lo == 5 && object.hi == 6, "%s: fetch_nand was lost", backend->name);
}

int main(void)
{
    const dwcas_backend *backend;

    for (size_t i = 0; (backend = dwcas_backend_at(i)) != NULL; i++) {
        if (!dwcas_backend_available(backend)) {
            printf("%s: not on this CPU\n", backend->name);
            continue;
        }
        test_tearing(backend);
        test_exchange_and_nand(backend);
        for (int a = 0; a < OPERATIONS; a++)
            for (int b = a; b < OPERATIONS; b++)
                test_mixed(backend, (enum operation)a, (enum operation)b);
    }
    return check_report();
}
