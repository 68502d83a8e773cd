/* SPDX-License-Identifier: MIT */
/* pair/exports.c: the kernels of one backend as functions, one per operation and order.
 *
 * These functions are what other languages call and what the checker reads: each holds
 * one kernel and nothing else. */
#include "pair/selected.h"

#define EXPORT_COMPARE(suffix, order)                                                             \
    bool OF_BACKEND(dwcas_pair_compare_exchange_##suffix)(                                        \
        dwcas_atomic_pair * object, dwcas_pair expected, dwcas_pair desired,                      \
        dwcas_pair * observed);                                                                   \
    bool OF_BACKEND(dwcas_pair_compare_exchange_##suffix)(                                        \
        dwcas_atomic_pair * object, dwcas_pair expected, dwcas_pair desired,                      \
        dwcas_pair * observed)                                                                    \
    {                                                                                             \
        return pair_compare_exchange(object, expected, desired, observed, order);                 \
    }                                                                                             \
    bool OF_BACKEND(dwcas_pair_compare_and_set_##suffix)(                                         \
        dwcas_atomic_pair * object, dwcas_pair expected, dwcas_pair desired);                     \
    bool OF_BACKEND(dwcas_pair_compare_and_set_##suffix)(dwcas_atomic_pair * object,              \
                                                         dwcas_pair expected, dwcas_pair desired) \
    {                                                                                             \
        return pair_compare_and_set(object, expected, desired, order);                            \
    }

#define EXPORT_LOAD(suffix, order)                                                                \
    dwcas_pair OF_BACKEND(dwcas_pair_load_##suffix)(dwcas_atomic_pair * object);                  \
    dwcas_pair OF_BACKEND(dwcas_pair_load_##suffix)(dwcas_atomic_pair * object)                   \
    {                                                                                             \
        return pair_load(object, order);                                                          \
    }

#define EXPORT_STORE(suffix, order)                                                               \
    void OF_BACKEND(dwcas_pair_store_##suffix)(dwcas_atomic_pair * object, dwcas_pair desired);   \
    void OF_BACKEND(dwcas_pair_store_##suffix)(dwcas_atomic_pair * object, dwcas_pair desired)    \
    {                                                                                             \
        pair_store(object, desired, order);                                                       \
    }

EXPORT_COMPARE(relaxed, DWCAS_RELAXED)
EXPORT_COMPARE(acquire, DWCAS_ACQUIRE)
EXPORT_COMPARE(release, DWCAS_RELEASE)
EXPORT_COMPARE(acq_rel, DWCAS_ACQ_REL)
EXPORT_COMPARE(seq_cst, DWCAS_SEQ_CST)
EXPORT_LOAD(relaxed, DWCAS_RELAXED)
EXPORT_LOAD(acquire, DWCAS_ACQUIRE)
EXPORT_LOAD(seq_cst, DWCAS_SEQ_CST)
EXPORT_STORE(relaxed, DWCAS_RELAXED)
EXPORT_STORE(release, DWCAS_RELEASE)
EXPORT_STORE(seq_cst, DWCAS_SEQ_CST)

#define EVERY_ORDER(operation)                                                                    \
    {                                                                                             \
        [DWCAS_RELAXED] = OF_BACKEND(operation##_relaxed),                                        \
        [DWCAS_ACQUIRE] = OF_BACKEND(operation##_acquire),                                        \
        [DWCAS_RELEASE] = OF_BACKEND(operation##_release),                                        \
        [DWCAS_ACQ_REL] = OF_BACKEND(operation##_acq_rel),                                        \
        [DWCAS_SEQ_CST] = OF_BACKEND(operation##_seq_cst),                                        \
    }

extern const dwcas_pair_operations OF_BACKEND(dwcas_pair_operations);
const dwcas_pair_operations OF_BACKEND(dwcas_pair_operations) = {
    .compare_exchange = EVERY_ORDER(dwcas_pair_compare_exchange),
    .compare_and_set = EVERY_ORDER(dwcas_pair_compare_and_set),
    .load =
        {
            [DWCAS_RELAXED] = OF_BACKEND(dwcas_pair_load_relaxed),
            [DWCAS_ACQUIRE] = OF_BACKEND(dwcas_pair_load_acquire),
            [DWCAS_SEQ_CST] = OF_BACKEND(dwcas_pair_load_seq_cst),
        },
    .store =
        {
            [DWCAS_RELAXED] = OF_BACKEND(dwcas_pair_store_relaxed),
            [DWCAS_RELEASE] = OF_BACKEND(dwcas_pair_store_release),
            [DWCAS_SEQ_CST] = OF_BACKEND(dwcas_pair_store_seq_cst),
        },
};
