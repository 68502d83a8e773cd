/* SPDX-License-Identifier: MIT */
/* pair_test.c: every operation and order of every backend that this CPU has, in one
 * thread, against numbers of 128 bits.
 *
 * All halves of all values differ, so that a swapped or forgotten half shows; the object
 * lies between guards. */
#include "check.h"
#include "dwcas/backend.h"

#include <string.h>

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};

static u128 number(dwcas_pair p)
{
    return (u128)p.hi << 64 | p.lo;
}

static dwcas_pair pair(u128 n)
{
    return (dwcas_pair){(uint64_t)n, (uint64_t)(n >> 64)};
}

static bool same(dwcas_pair a, dwcas_pair b)
{
    return number(a) == number(b);
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

/* Operands and old values of the fetches: carries, borrows, signs, equal and mixed. */
static const dwcas_pair values[] = {
    {0, 0},
    {1, 0},
    {0, 1},
    {~0ull, 0},
    {0, ~0ull},
    {~0ull, ~0ull},
    {A, B},
    {C, D},
    {D, C},
    {~0ull, 0x7fffffffffffffffull}, /* largest signed */
    {0, 0x8000000000000000ull},     /* smallest signed */
    {0x7fffffffffffffffull, 0x8000000000000000ull},
};

enum { VALUES = sizeof values / sizeof values[0] };

#define OF_CASE "%s %s %s case %zu"

static void test_cas(const dwcas_backend *backend)
{
    const dwcas_pair_operations *o = backend->operations;

    for (size_t i = 0; i < sizeof cas_cases / sizeof cas_cases[0]; i++) {
        const struct cas_case c = cas_cases[i];
        const bool hit = same(c.memory, c.expected);

        for (int order = 0; order < DWCAS_ORDERS; order++) {
            struct guarded g = guard(c.memory);
            char bytes[sizeof(dwcas_pair) + 1]; /* only the object must be aligned */
            dwcas_pair observed;
            bool ok = o->compare_exchange[order](&g.object, c.expected, c.desired,
                                                 (dwcas_pair *)(void *)memset(bytes, 1, 17));

            memcpy(&observed, bytes, sizeof observed);
            CHECK(ok == hit && same(observed, c.memory) && guards_intact(&g) &&
                      same(held(&g.object), hit ? c.desired : c.memory),
                  OF_CASE, backend->name, "compare_exchange", orders[order], i);

            g = guard(c.memory);
            ok = o->compare_and_set[order](&g.object, c.expected, c.desired);
            CHECK(ok == hit && guards_intact(&g) &&
                      same(held(&g.object), hit ? c.desired : c.memory),
                  OF_CASE, backend->name, "compare_and_set", orders[order], i);
        }
    }
}

static void test_load_store(const dwcas_backend *backend)
{
    const dwcas_pair_operations *o = backend->operations;

    for (size_t i = 0; i < VALUES; i++)
        for (int order = 0; order < DWCAS_ORDERS; order++) {
            struct guarded g = guard(values[i]);

            if (o->load[order] != NULL)
                CHECK(same(o->load[order](&g.object), values[i]) &&
                          same(held(&g.object), values[i]) && guards_intact(&g),
                      OF_CASE, backend->name, "load", orders[order], i);
            g = guard((dwcas_pair){D, C});
            if (o->store[order] != NULL) {
                o->store[order](&g.object, values[i]);
                CHECK(same(held(&g.object), values[i]) && guards_intact(&g), OF_CASE,
                      backend->name, "store", orders[order], i);
            }
        }
}

static void test_illegal_orders_are_absent(const dwcas_backend *backend)
{
    static const bool releases[] = {[DWCAS_RELEASE] = true, [DWCAS_ACQ_REL] = true};
    static const bool acquires[] = {[DWCAS_ACQUIRE] = true, [DWCAS_ACQ_REL] = true};
    const dwcas_pair_operations *o = backend->operations;

    for (size_t order = 0; order < sizeof releases; order++) {
        CHECK((o->load[order] == NULL) == releases[order], "%s load %s", backend->name,
              orders[order]);
        CHECK((o->load_half[DWCAS_HI][order] == NULL) == releases[order], "%s half load %s",
              backend->name, orders[order]);
        CHECK((o->store[order] == NULL) == acquires[order], "%s store %s", backend->name,
              orders[order]);
    }
}

static u128 of_halves(u128 lo, u128 hi)
{
    return hi << 64 | (uint64_t)lo;
}

/* The model: numbers of 128 bits, written apart from pair/values.h. */
static u128 model(dwcas_fetch fetch, u128 old, u128 operand)
{
    switch (fetch) {
    case DWCAS_exchange:
        return operand;
    case DWCAS_fetch_add:
        return old + operand;
    case DWCAS_fetch_sub:
        return old - operand;
    case DWCAS_fetch_add_lanes:
        return of_halves(old + operand, (old >> 64) + (operand >> 64));
    case DWCAS_fetch_and:
        return old & operand;
    case DWCAS_fetch_or:
        return old | operand;
    case DWCAS_fetch_xor:
        return old ^ operand;
    case DWCAS_fetch_nand:
        return ~(old & operand);
    case DWCAS_fetch_max:
        return old > operand ? old : operand;
    case DWCAS_fetch_min:
        return old < operand ? old : operand;
    case DWCAS_fetch_max_signed:
        return (i128)old > (i128)operand ? old : operand;
    case DWCAS_fetch_min_signed:
        return (i128)old < (i128)operand ? old : operand;
    case DWCAS_exchange_lo_add_hi:
        return of_halves(operand, (old >> 64) + (operand >> 64));
    default:
        CHECK(false, "fetch %d has no model", (int)fetch);
        return 0;
    }
}

static void test_fetches(const dwcas_backend *backend)
{
    static const char *const names[] = {
#define FETCH(name) #name,
#include "dwcas/operations.def"
#undef FETCH
    };

    for (int fetch = 0; fetch < DWCAS_FETCHES; fetch++)
        for (int order = 0; order < DWCAS_ORDERS; order++)
            for (size_t i = 0; i < VALUES * VALUES; i++) {
                const dwcas_pair old = values[i / VALUES], operand = values[i % VALUES];
                struct guarded g = guard(old);
                const dwcas_pair returned =
                    backend->operations->fetch[fetch][order](&g.object, operand);
                /* Only now: its carry, left in the flags, once made a kernel without ADDS pass. */
                const u128 wanted = model((dwcas_fetch)fetch, number(old), number(operand));

                CHECK(same(returned, old) && same(held(&g.object), pair(wanted)) &&
                          guards_intact(&g),
                      OF_CASE, backend->name, names[fetch], orders[order], i);
            }
}

static void test_halves(const dwcas_backend *backend)
{
    const dwcas_pair_operations *o = backend->operations;

    for (int order = 0; order < DWCAS_ORDERS; order++)
        for (size_t i = 0; i < VALUES; i++) {
            struct guarded g = guard(values[i]);
            uint64_t lo, hi;

            if (o->load_half[DWCAS_LO][order] != NULL)
                CHECK(o->load_half[DWCAS_LO][order](&g.object) == values[i].lo &&
                          o->load_half[DWCAS_HI][order](&g.object) == values[i].hi,
                      OF_CASE, backend->name, "load of a half", orders[order], i);
            lo = o->fetch_add_half[DWCAS_LO][order](&g.object, A);
            CHECK(lo == values[i].lo && g.object.lo == lo + A && g.object.hi == values[i].hi,
                  OF_CASE, backend->name, "fetch_add_lo", orders[order], i);
            hi = o->fetch_add_half[DWCAS_HI][order](&g.object, B);
            CHECK(hi == values[i].hi && g.object.lo == lo + A && g.object.hi == hi + B &&
                      guards_intact(&g),
                  OF_CASE, backend->name, "fetch_add_hi", orders[order], i);
        }
}

/* C11's lattice, by listing what each order gives. */
static void test_order_join(void)
{
    static const unsigned gives[] = {0, 1, 2, 3, 7}; /* acquire 1, release 2, total order 4 */

    for (unsigned a = 0; a < DWCAS_ORDERS; a++)
        for (unsigned b = 0; b < DWCAS_ORDERS; b++)
            CHECK(gives[dwcas_order_join((dwcas_order)a, (dwcas_order)b)] == (gives[a] | gives[b]),
                  "join of %s and %s", orders[a], orders[b]);
}

/* Arguments name backends to run even if the CPU does not announce them: emulators execute
 * instructions whose feature bits they do not show. */
static bool named(const char *name, char **arguments)
{
    while (*++arguments != NULL)
        if (strcmp(*arguments, name) == 0)
            return true;
    return false;
}

int main(int count, char **arguments)
{
    const dwcas_backend *backend;
    const dwcas_backend *chosen = dwcas_backend_chosen();

    (void)count;
    CHECK(chosen != NULL, "%s", dwcas_backend_error());
    test_order_join();
    for (size_t i = 0; (backend = dwcas_backend_at(i)) != NULL; i++) {
        if (!dwcas_backend_available(backend) && !named(backend->name, arguments)) {
            printf("%s: not on this CPU\n", backend->name);
            continue;
        }
        test_cas(backend);
        test_load_store(backend);
        test_illegal_orders_are_absent(backend);
        test_fetches(backend);
        test_halves(backend);
        printf("%s: %s\n", backend->name, backend == chosen ? "chosen" : "can run");
    }
    return check_report();
}
