/* SPDX-License-Identifier: MIT */
/* pair_test.c: every kernel of every backend that this CPU has, against a plain model.
 *
 * Single thread: each operation and order on values whose halves are all different, so
 * that a swapped or forgotten half shows. Threads: increments must not be lost, and
 * readers must only see pairs that a writer wrote; a reader that is torn on purpose says
 * how often the race shows at all. */
#include "check.h"
#include "dwcas/backend.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};

static bool same(dwcas_pair a, dwcas_pair b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

static dwcas_pair held(const dwcas_atomic_pair *object)
{
    return (dwcas_pair){object->lo, object->hi};
}

/* The object between two guards: no kernel may write outside its 16 bytes. */
struct guarded {
    dwcas_atomic_pair before;
    dwcas_atomic_pair object;
    dwcas_atomic_pair after;
};

static struct guarded guard(dwcas_pair value)
{
    return (struct guarded){{1, 2}, {value.lo, value.hi}, {3, 4}};
}

static bool guards_intact(const struct guarded *g)
{
    return g->before.lo == 1 && g->before.hi == 2 && g->after.lo == 3 && g->after.hi == 4;
}

/* Memory, expected, desired; success follows from them. */
struct cas_case {
    dwcas_pair memory, expected, desired;
};

#define A 0x8000000000000001ull
#define B 0x7ffffffffffffff2ull
#define C 0x1122334455667788ull
#define D 0xfedcba9876543210ull

static const struct cas_case cas_cases[] = {
    {{A, B}, {A, B}, {C, D}},                     /* hit */
    {{A, B}, {C, B}, {C, D}},                     /* low differs */
    {{A, B}, {A, C}, {C, D}},                     /* high differs */
    {{A, B}, {C, D}, {D, C}},                     /* both differ */
    {{A, B}, {B, A}, {C, D}},                     /* halves swapped */
    {{C, D}, {A, B}, {C, D}},                     /* desired is already there: still a miss */
    {{A, B}, {A, B}, {A, B}},                     /* hit that changes nothing */
    {{0, 0}, {0, 0}, {1, 2}},                     /* from zero */
    {{1, 2}, {0, 0}, {0, 0}},                     /* miss with zeros */
    {{~0ull, ~0ull}, {~0ull, ~0ull}, {0, ~0ull}}, /* all ones */
    {{A, B}, {A ^ 1ull << 63, B}, {C, D}},        /* one top bit */
    {{A, B}, {A, B ^ 1ull << 32}, {C, D}},        /* one bit of the high word */
};

static void test_cas(const dwcas_backend *backend)
{
    for (size_t i = 0; i < sizeof cas_cases / sizeof cas_cases[0]; i++) {
        const struct cas_case c = cas_cases[i];
        const bool hit = same(c.memory, c.expected);

        for (int order = 0; order < DWCAS_ORDERS; order++) {
            struct guarded g = guard(c.memory);
            dwcas_pair observed = {0xdead, 0xbeef};
            bool ok = backend->operations->compare_exchange[order](&g.object, c.expected,
                                                                   c.desired, &observed);

            CHECK(ok == hit, "%s compare_exchange %s case %zu", backend->name, orders[order], i);
            CHECK(same(observed, c.memory), "%s %s case %zu", backend->name, orders[order], i);
            CHECK(same(held(&g.object), hit ? c.desired : c.memory), "%s %s case %zu",
                  backend->name, orders[order], i);
            CHECK(guards_intact(&g), "%s %s case %zu", backend->name, orders[order], i);

            g = guard(c.memory);
            ok = backend->operations->compare_and_set[order](&g.object, c.expected, c.desired);
            CHECK(ok == hit, "%s compare_and_set %s case %zu", backend->name, orders[order], i);
            CHECK(same(held(&g.object), hit ? c.desired : c.memory), "%s %s case %zu",
                  backend->name, orders[order], i);
            CHECK(guards_intact(&g), "%s %s case %zu", backend->name, orders[order], i);
        }
    }
}

static void test_load_store(const dwcas_backend *backend)
{
    static const dwcas_pair values[] = {{0, 0}, {A, B}, {C, D}, {~0ull, 0}, {0, ~0ull}};

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        for (int order = 0; order < DWCAS_ORDERS; order++) {
            struct guarded g = guard(values[i]);

            if (backend->operations->load[order] != NULL) {
                CHECK(same(backend->operations->load[order](&g.object), values[i]),
                      "%s load %s value %zu", backend->name, orders[order], i);
                CHECK(same(held(&g.object), values[i]), "%s load %s wrote", backend->name,
                      orders[order]);
            }
            g = guard((dwcas_pair){D, C});
            if (backend->operations->store[order] != NULL) {
                backend->operations->store[order](&g.object, values[i]);
                CHECK(same(held(&g.object), values[i]), "%s store %s value %zu", backend->name,
                      orders[order], i);
            }
            CHECK(guards_intact(&g), "%s order %s value %zu", backend->name, orders[order], i);
        }
    CHECK(backend->operations->load[DWCAS_RELEASE] == NULL, "%s", backend->name);
    CHECK(backend->operations->load[DWCAS_ACQ_REL] == NULL, "%s", backend->name);
    CHECK(backend->operations->store[DWCAS_ACQUIRE] == NULL, "%s", backend->name);
    CHECK(backend->operations->store[DWCAS_ACQ_REL] == NULL, "%s", backend->name);
}

enum { WRITERS = 2, READERS = 2, ADDS = 20000, READS = 40000 };

struct shared {
    const dwcas_backend *backend;
    dwcas_atomic_pair object;
    _Atomic int writing;
    _Atomic long torn_loads, torn_misses, torn_on_purpose;
};

/* Writers keep hi == ~lo * 3, which no mixture of two such pairs fulfils. */
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

    for (int i = 0; i < ADDS; i++) {
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
    atomic_fetch_sub(&s->writing, 1);
    return NULL;
}

static void *read_all(void *argument)
{
    struct shared *s = argument;
    const dwcas_pair_operations *o = s->backend->operations;
    const dwcas_pair impossible = {1, 1};

    for (int i = 0; i < READS || atomic_load(&s->writing) > 0; i++) {
        dwcas_pair seen = o->load[DWCAS_ACQUIRE](&s->object);

        if (torn(seen))
            atomic_fetch_add(&s->torn_loads, 1);
        if (o->compare_exchange[DWCAS_ACQUIRE](&s->object, impossible, impossible, &seen) ||
            torn(seen))
            atomic_fetch_add(&s->torn_misses, 1);
        seen.lo = __atomic_load_n(&s->object.lo, __ATOMIC_ACQUIRE);
        seen.hi = __atomic_load_n(&s->object.hi, __ATOMIC_ACQUIRE);
        if (torn(seen))
            atomic_fetch_add(&s->torn_on_purpose, 1);
    }
    return NULL;
}

static void test_threads(const dwcas_backend *backend)
{
    static struct shared s;
    pthread_t threads[WRITERS + READERS];
    const dwcas_pair end = consistent((uint64_t)WRITERS * ADDS);

    memset(&s, 0, sizeof s);
    s.backend = backend;
    s.writing = WRITERS;
    backend->operations->store[DWCAS_SEQ_CST](&s.object, consistent(0));
    for (int i = 0; i < WRITERS + READERS; i++)
        pthread_create(&threads[i], NULL, i < WRITERS ? add : read_all, &s);
    for (int i = 0; i < WRITERS + READERS; i++)
        pthread_join(threads[i], NULL);
    CHECK(same(held(&s.object), end), "%s lost updates: %llu of %llu", backend->name,
          (unsigned long long)s.object.lo, (unsigned long long)end.lo);
    CHECK(s.torn_loads == 0, "%s: %ld torn loads", backend->name, (long)s.torn_loads);
    CHECK(s.torn_misses == 0, "%s: %ld torn misses", backend->name, (long)s.torn_misses);
    printf("%s: a reader torn on purpose saw %ld mixed pairs\n", backend->name,
           (long)s.torn_on_purpose);
}

int main(void)
{
    const dwcas_backend *backend;
    const dwcas_backend *chosen = dwcas_backend_chosen();

    CHECK(chosen != NULL, "%s", dwcas_backend_error());
    for (size_t i = 0; (backend = dwcas_backend_at(i)) != NULL; i++) {
        if (!dwcas_backend_available(backend)) {
            printf("%s: not on this CPU\n", backend->name);
            continue;
        }
        test_cas(backend);
        test_load_store(backend);
        test_threads(backend);
        printf("%s: %s\n", backend->name, backend == chosen ? "chosen" : "can run");
    }
    return check_report();
}
