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

#include <pthread.h>
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

/* Operations that add to a pair without regard to what it holds. The low 32 bits of each
 * half count thread 0, the next 32 thread 1: one = 1 or 2^32, never carried out of. */
enum operation { ADD, ADD_LANES, SUB, CAS, SET, XCHG_LO_ADD_HI, ADD_LO, ADD_HI, OPERATIONS };

static const char *const operations[] = {
    "fetch_add",       "fetch_add_lanes",    "fetch_sub",    "compare_exchange",
    "compare_and_set", "exchange_lo_add_hi", "fetch_add_lo", "fetch_add_hi",
};

/* What one step adds to {lo, hi}; exchange_lo_add_hi adds to hi only and writes lo. */
static dwcas_pair step(enum operation operation, uint64_t one)
{
    switch (operation) {
    case ADD_LO:
        return (dwcas_pair){one, 0};
    case ADD_HI:
    case XCHG_LO_ADD_HI:
        return (dwcas_pair){0, one};
    default:
        return (dwcas_pair){one, one};
    }
}

struct mixer {
    const dwcas_pair_operations *o;
    dwcas_atomic_pair *object;
    enum operation operation;
    uint64_t one;
    int times;
};

static void once(const struct mixer *m)
{
    const dwcas_pair_operations *o = m->o;
    const dwcas_pair by = step(m->operation, m->one);
    dwcas_pair seen = o->load[DWCAS_RELAXED](m->object);

    switch (m->operation) {
    case ADD: /* halves do not carry into each other here, so it is the sum of lanes */
        (void)o->fetch[DWCAS_fetch_add][DWCAS_RELAXED](m->object, by);
        break;
    case ADD_LANES:
        (void)o->fetch[DWCAS_fetch_add_lanes][DWCAS_ACQ_REL](m->object, by);
        break;
    case SUB: /* - ~x - 1 in both lanes at once: subtract 2^128 - by */
        (void)o->fetch[DWCAS_fetch_sub][DWCAS_SEQ_CST](
            m->object, (dwcas_pair){0 - by.lo, ~by.hi + (by.lo == 0)});
        break;
    case CAS:
        while (!o->compare_exchange[DWCAS_ACQ_REL](
            m->object, seen, (dwcas_pair){seen.lo + by.lo, seen.hi + by.hi}, &seen)) {
        }
        break;
    case SET:
        while (!o->compare_and_set[DWCAS_RELEASE](m->object, seen,
                                                  (dwcas_pair){seen.lo + by.lo, seen.hi + by.hi}))
            seen = o->load[DWCAS_RELAXED](m->object);
        break;
    case XCHG_LO_ADD_HI:
        (void)o->fetch[DWCAS_exchange_lo_add_hi][DWCAS_ACQUIRE](m->object,
                                                                (dwcas_pair){seen.lo, by.hi});
        break;
    case ADD_LO:
        (void)o->fetch_add_half[DWCAS_LO][DWCAS_RELAXED](m->object, by.lo);
        break;
    default:
        (void)o->fetch_add_half[DWCAS_HI][DWCAS_ACQ_REL](m->object, by.hi);
        break;
    }
}

static void *repeat(void *argument)
{
    const struct mixer *m = argument;

    for (int i = 0; i < m->times; i++)
        once(m);
    return NULL;
}

static void test_mixed(const dwcas_backend *backend, enum operation a, enum operation b)
{
    enum { TIMES = 4000 };
    static dwcas_atomic_pair object;
    struct mixer mixers[2] = {
        {backend->operations, &object, a, 1, TIMES},
        {backend->operations, &object, b, 1ull << 32, TIMES},
    };
    const dwcas_pair by_a = step(a, 1), by_b = step(b, 1ull << 32);
    const bool lo_is_overwritten = a == XCHG_LO_ADD_HI || b == XCHG_LO_ADD_HI;
    pthread_t threads[2];

    object = (dwcas_atomic_pair){0, 0};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, repeat, &mixers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CHECK(object.hi == TIMES * (by_a.hi + by_b.hi), "%s: %s beside %s: hi %#llx", backend->name,
          operations[a], operations[b], (unsigned long long)object.hi);
    CHECK(lo_is_overwritten || object.lo == TIMES * (by_a.lo + by_b.lo),
          "%s: %s beside %s: lo %#llx", backend->name, operations[a], operations[b],
          (unsigned long long)object.lo);
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
        for (int a = 0; a < OPERATIONS; a++)
            for (int b = a; b < OPERATIONS; b++)
                test_mixed(backend, (enum operation)a, (enum operation)b);
    }
    return check_report();
}
