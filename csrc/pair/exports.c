/* SPDX-License-Identifier: MIT */
/* pair/exports.c: the kernels of one backend as functions, one per operation and order.
 *
 * These functions are what other languages call and what the checker reads: each holds
 * one kernel and nothing else. */
#include "pair/selected.h"

#define NAME(operation, suffix) OF_BACKEND(dwcas_pair_##operation##_##suffix)

#define EXPORT_COMPARE(suffix, order)                                                             \
    dwcas_compare_exchange_function NAME(compare_exchange, suffix);                               \
    bool NAME(compare_exchange, suffix)(dwcas_atomic_pair * object, dwcas_pair expected,          \
                                        dwcas_pair desired, dwcas_pair * observed)                \
    {                                                                                             \
        return pair_compare_exchange(object, expected, desired, observed, order);                 \
    }                                                                                             \
    dwcas_compare_and_set_function NAME(compare_and_set, suffix);                                 \
    bool NAME(compare_and_set, suffix)(dwcas_atomic_pair * object, dwcas_pair expected,           \
                                       dwcas_pair desired)                                        \
    {                                                                                             \
        return pair_compare_and_set(object, expected, desired, order);                            \
    }

#define EXPORT_LOAD(suffix, order)                                                                \
    dwcas_load_function NAME(load, suffix);                                                       \
    dwcas_pair NAME(load, suffix)(dwcas_atomic_pair * object)                                     \
    {                                                                                             \
        return pair_load(object, order);                                                          \
    }                                                                                             \
    dwcas_half_load_function NAME(load_lo, suffix), NAME(load_hi, suffix);                        \
    uint64_t NAME(load_lo, suffix)(const dwcas_atomic_pair *object)                               \
    {                                                                                             \
        return pair_load_lo(object, order);                                                       \
    }                                                                                             \
    uint64_t NAME(load_hi, suffix)(const dwcas_atomic_pair *object)                               \
    {                                                                                             \
        return pair_load_hi(object, order);                                                       \
    }

#define EXPORT_STORE(suffix, order)                                                               \
    dwcas_store_function NAME(store, suffix);                                                     \
    void NAME(store, suffix)(dwcas_atomic_pair * object, dwcas_pair desired)                      \
    {                                                                                             \
        pair_store(object, desired, order);                                                       \
    }

#define EXPORT_FETCH(name, suffix, order)                                                         \
    dwcas_fetch_function NAME(name, suffix);                                                      \
    dwcas_pair NAME(name, suffix)(dwcas_atomic_pair * object, dwcas_pair operand)                 \
    {                                                                                             \
        return PAIR_FETCH(name)(object, operand, order);                                          \
    }

#define EXPORT_FETCH_HALF(name, suffix, order)                                                    \
    dwcas_half_fetch_function NAME(name, suffix);                                                 \
    uint64_t NAME(name, suffix)(dwcas_atomic_pair * object, uint64_t operand)                     \
    {                                                                                             \
        return pair_##name(object, operand, order);                                               \
    }

#define EVERY_ORDER(EXPORT)                                                                       \
    EXPORT(relaxed, DWCAS_RELAXED)                                                                \
    EXPORT(acquire, DWCAS_ACQUIRE)                                                                \
    EXPORT(release, DWCAS_RELEASE)                                                                \
    EXPORT(acq_rel, DWCAS_ACQ_REL)                                                                \
    EXPORT(seq_cst, DWCAS_SEQ_CST)

#define EVERY_ORDER_OF(EXPORT, name)                                                              \
    EXPORT(name, relaxed, DWCAS_RELAXED)                                                          \
    EXPORT(name, acquire, DWCAS_ACQUIRE)                                                          \
    EXPORT(name, release, DWCAS_RELEASE)                                                          \
    EXPORT(name, acq_rel, DWCAS_ACQ_REL)                                                          \
    EXPORT(name, seq_cst, DWCAS_SEQ_CST)

EVERY_ORDER(EXPORT_COMPARE)
EXPORT_LOAD(relaxed, DWCAS_RELAXED)
EXPORT_LOAD(acquire, DWCAS_ACQUIRE)
EXPORT_LOAD(seq_cst, DWCAS_SEQ_CST)
EXPORT_STORE(relaxed, DWCAS_RELAXED)
EXPORT_STORE(release, DWCAS_RELEASE)
EXPORT_STORE(seq_cst, DWCAS_SEQ_CST)
#define FETCH(name) EVERY_ORDER_OF(EXPORT_FETCH, name)
#include "dwcas/operations.def"
#undef FETCH
EVERY_ORDER_OF(EXPORT_FETCH_HALF, fetch_add_lo)
EVERY_ORDER_OF(EXPORT_FETCH_HALF, fetch_add_hi)

#define BY_ORDER(operation)                                                                       \
    {                                                                                             \
        [DWCAS_RELAXED] = NAME(operation, relaxed), [DWCAS_ACQUIRE] = NAME(operation, acquire),   \
        [DWCAS_RELEASE] = NAME(operation, release), [DWCAS_ACQ_REL] = NAME(operation, acq_rel),   \
        [DWCAS_SEQ_CST] = NAME(operation, seq_cst),                                               \
    }

#define LOAD_BY_ORDER(operation)                                                                  \
    {                                                                                             \
        [DWCAS_RELAXED] = NAME(operation, relaxed),                                               \
        [DWCAS_ACQUIRE] = NAME(operation, acquire),                                               \
        [DWCAS_SEQ_CST] = NAME(operation, seq_cst),                                               \
    }

#define STORE_BY_ORDER(operation)                                                                 \
    {                                                                                             \
        [DWCAS_RELAXED] = NAME(operation, relaxed),                                               \
        [DWCAS_RELEASE] = NAME(operation, release),                                               \
        [DWCAS_SEQ_CST] = NAME(operation, seq_cst),                                               \
    }

extern const dwcas_pair_operations OF_BACKEND(dwcas_pair_operations);
const dwcas_pair_operations OF_BACKEND(dwcas_pair_operations) = {
    .compare_exchange = BY_ORDER(compare_exchange),
    .compare_and_set = BY_ORDER(compare_and_set),
    .load = LOAD_BY_ORDER(load),
    .store = STORE_BY_ORDER(store),
    .fetch =
        {
#define FETCH(name) [DWCAS_##name] = BY_ORDER(name),
#include "dwcas/operations.def"
#undef FETCH
        },
    .load_half = {LOAD_BY_ORDER(load_lo), LOAD_BY_ORDER(load_hi)},
    .fetch_add_half = {BY_ORDER(fetch_add_lo), BY_ORDER(fetch_add_hi)},
};
