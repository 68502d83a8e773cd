/* SPDX-License-Identifier: MIT */
/* dwcas/pair.h: two 64-bit words in 16 aligned bytes that move together.
 *
 * What an architecture must supply (csrc/pair/<arch>/, one header per backend; a
 * backend is one instruction family). For a backend called B:
 *
 *   pair_compare_exchange_B  16-byte aligned object; hands out the observed pair,
 *                            which must be a pair that the object really held
 *   pair_compare_and_set_B   the same, but answers only yes or no
 *   pair_load_B              one single-copy atomic 16-byte read
 *   pair_store_B             one single-copy atomic 16-byte write
 *   pair_guess_B             two 8-byte reads; may mix two values, so it is good
 *                            only as the `expected` of a compare_exchange
 *
 * The two CAS forms have two names for one reason: before LSE2 an arm64 load-
 * exclusive may tear, and only a store-exclusive that succeeds certifies what was
 * read. compare_exchange therefore stores the observed pair back on a mismatch;
 * compare_and_set hands nothing out and may leave a mismatch without a store.
 *
 * Both CAS forms return true if, and only if, the object held `expected` and now
 * holds `desired`. `expected` is passed by value: the caller's copy is never written.
 *
 * An order is C11's. On a mismatch the acquire half of the order still holds; the
 * release half is not promised, since nothing is published.
 *
 * No operation ever takes a lock. Everything else (the exported functions below, the
 * choice of a backend, the reservation methods) is derived from these five. */
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

static inline bool dwcas_pair_equal(dwcas_pair a, dwcas_pair b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/* The exported functions of one backend, indexed by order; NULL where C11 has no such
 * order (a load does not release, a store does not acquire). The object must be
 * 16-byte aligned and writable: on some backends even a load stores (see
 * csrc/pair/README.md). */
typedef bool dwcas_compare_exchange_function(dwcas_atomic_pair *object, dwcas_pair expected,
                                             dwcas_pair desired, dwcas_pair *observed);
typedef bool dwcas_compare_and_set_function(dwcas_atomic_pair *object, dwcas_pair expected,
                                            dwcas_pair desired);
typedef dwcas_pair dwcas_load_function(dwcas_atomic_pair *object);
typedef void dwcas_store_function(dwcas_atomic_pair *object, dwcas_pair desired);

typedef struct dwcas_pair_operations {
    dwcas_compare_exchange_function *compare_exchange[DWCAS_ORDERS];
    dwcas_compare_and_set_function *compare_and_set[DWCAS_ORDERS];
    dwcas_load_function *load[DWCAS_ORDERS];
    dwcas_store_function *store[DWCAS_ORDERS];
} dwcas_pair_operations;

#endif
