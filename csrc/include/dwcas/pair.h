/* SPDX-License-Identifier: MIT */
/* dwcas/pair.h: two 64-bit words in 16 aligned bytes that move together.
 *
 * There are two CAS forms, and they have two names for one reason: before LSE2 an arm64
 * load-exclusive may tear, and only a store-exclusive that succeeds certifies what was
 * read. compare_exchange hands out the pair that the object really held and therefore
 * stores it back on a mismatch; compare_and_set answers yes or no, hands nothing out and
 * may leave a mismatch without a store.
 *
 * Both return true if, and only if, the object held `expected` and now holds `desired`.
 * `expected` is passed by value: the caller's copy is never written.
 *
 * Orders are C11's. A compare_exchange whose failure order is stronger than its success
 * order takes dwcas_order_join of the two. On a mismatch the acquire half of an order
 * still holds; the release half is not promised, since nothing is published.
 *
 * No operation ever takes a lock. The object must be 16-byte aligned and writable: on
 * some backends even a load stores.
 *
 * What a backend (one instruction family) must supply is in csrc/pair/selected.h. */
#ifndef DWCAS_PAIR_H
#define DWCAS_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "dwcas: big-endian targets swap the halves of a pair and are not supported"
#endif

/* A value: any alignment. */
typedef struct dwcas_pair {
    uint64_t lo;
    uint64_t hi;
} dwcas_pair;

/* The object that moves atomically. Only the first member carries the alignment:
 * aligning each member would put hi at offset 16. */
typedef struct dwcas_atomic_pair {
    _Alignas(16) uint64_t lo;
    uint64_t hi;
} dwcas_atomic_pair;

_Static_assert(sizeof(dwcas_atomic_pair) == 16, "a pair is 16 bytes");
_Static_assert(_Alignof(dwcas_atomic_pair) == 16, "a pair is 16-byte aligned");
_Static_assert(offsetof(dwcas_atomic_pair, lo) == 0, "lo comes first in memory");
_Static_assert(offsetof(dwcas_atomic_pair, hi) == 8, "hi follows lo");

typedef enum dwcas_order {
    DWCAS_RELAXED,
    DWCAS_ACQUIRE,
    DWCAS_RELEASE,
    DWCAS_ACQ_REL,
    DWCAS_SEQ_CST,
    DWCAS_ORDERS
} dwcas_order;

static inline bool dwcas_order_acquires(dwcas_order order)
{
    return order == DWCAS_ACQUIRE || order >= DWCAS_ACQ_REL;
}

static inline bool dwcas_order_releases(dwcas_order order)
{
    return order >= DWCAS_RELEASE;
}

/* The weakest order that is as strong as both. */
static inline dwcas_order dwcas_order_join(dwcas_order a, dwcas_order b)
{
    if (a == DWCAS_SEQ_CST || b == DWCAS_SEQ_CST)
        return DWCAS_SEQ_CST;
    if (dwcas_order_acquires(a) || dwcas_order_acquires(b))
        return dwcas_order_releases(a) || dwcas_order_releases(b) ? DWCAS_ACQ_REL : DWCAS_ACQUIRE;
    return dwcas_order_releases(a) || dwcas_order_releases(b) ? DWCAS_RELEASE : DWCAS_RELAXED;
}

static inline bool dwcas_pair_equal(dwcas_pair a, dwcas_pair b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/* The read-modify-writes: DWCAS_exchange, DWCAS_fetch_add ... (dwcas/operations.def). */
typedef enum dwcas_fetch {
#define FETCH(name) DWCAS_##name,
#include "dwcas/operations.def"
#undef FETCH
    DWCAS_FETCHES
} dwcas_fetch;

enum { DWCAS_LO, DWCAS_HI, DWCAS_HALVES };

/* The exported functions of one backend, indexed by order; NULL where C11 has no such
 * order (a load does not release, a store does not acquire). A fetch returns the old
 * pair, a half's operation moves 8 bytes and is atomic against all others. */
typedef bool dwcas_compare_exchange_function(dwcas_atomic_pair *object, dwcas_pair expected,
                                             dwcas_pair desired, dwcas_pair *observed);
typedef bool dwcas_compare_and_set_function(dwcas_atomic_pair *object, dwcas_pair expected,
                                            dwcas_pair desired);
typedef dwcas_pair dwcas_load_function(dwcas_atomic_pair *object);
typedef void dwcas_store_function(dwcas_atomic_pair *object, dwcas_pair desired);

typedef dwcas_pair dwcas_fetch_function(dwcas_atomic_pair *object, dwcas_pair operand);
typedef uint64_t dwcas_half_load_function(const dwcas_atomic_pair *object);
typedef uint64_t dwcas_half_fetch_function(dwcas_atomic_pair *object, uint64_t operand);

typedef struct dwcas_pair_operations {
    dwcas_compare_exchange_function *compare_exchange[DWCAS_ORDERS];
    dwcas_compare_and_set_function *compare_and_set[DWCAS_ORDERS];
    dwcas_load_function *load[DWCAS_ORDERS];
    dwcas_store_function *store[DWCAS_ORDERS];
    dwcas_fetch_function *fetch[DWCAS_FETCHES][DWCAS_ORDERS];
    dwcas_half_load_function *load_half[DWCAS_HALVES][DWCAS_ORDERS];
    dwcas_half_fetch_function *fetch_add_half[DWCAS_HALVES][DWCAS_ORDERS];
} dwcas_pair_operations;

#endif
