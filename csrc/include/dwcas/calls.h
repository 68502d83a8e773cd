/* SPDX-License-Identifier: MIT */
/* dwcas/calls.h: the pair for callers that hold no function pointers (other languages).
 *
 * One function per operation; the order is an argument and the chosen backend serves it
 * (dwcas/backend.h). Precondition, not checked again here: there is a backend, the object
 * is 16-byte aligned and, unless the backend's load does not write, writable; the order is
 * one that the operation has. Halves travel as two words, so that no caller needs to build
 * a struct. */
#ifndef DWCAS_CALLS_H
#define DWCAS_CALLS_H

#include "dwcas/pair.h"

enum { DWCAS_CELL_BYTES = 128 }; /* two lines of 64, as adjacent lines are fetched together */

/* Zeroed, aligned memory for `cells` cells that share no line with anything; NULL if none. */
void *dwcas_cells_new(size_t cells);
void dwcas_cells_free(void *cells);

typedef struct dwcas_observed {
    uint64_t lo, hi;
    bool ok;
} dwcas_observed;

dwcas_pair dwcas_load(dwcas_atomic_pair *object, int order);
void dwcas_store(dwcas_atomic_pair *object, uint64_t lo, uint64_t hi, int order);
bool dwcas_compare_and_set(dwcas_atomic_pair *object, uint64_t expected_lo, uint64_t expected_hi,
                           uint64_t desired_lo, uint64_t desired_hi, int order);
dwcas_observed dwcas_compare_exchange(dwcas_atomic_pair *object, uint64_t expected_lo,
                                      uint64_t expected_hi, uint64_t desired_lo,
                                      uint64_t desired_hi, int success, int failure);
dwcas_pair dwcas_fetch_pair(dwcas_atomic_pair *object, int fetch, uint64_t lo, uint64_t hi,
                            int order);
uint64_t dwcas_load_half(const dwcas_atomic_pair *object, int half, int order);
uint64_t dwcas_fetch_add_half(dwcas_atomic_pair *object, int half, uint64_t operand, int order);

/* Position of the first index that is not below `cells`, or `count`. */
size_t dwcas_first_outside(const int64_t *indices, size_t count, size_t cells);

/* Batches: element i works on the pair at base + indices[i] * stride. */
void dwcas_load_many(void *base, size_t stride, const int64_t *indices, size_t count, int order,
                     dwcas_pair *values);
void dwcas_fetch_many(void *base, size_t stride, const int64_t *indices, size_t count, int fetch,
                      int order, const dwcas_pair *operands, dwcas_pair *old);
void dwcas_compare_exchange_many(void *base, size_t stride, const int64_t *indices, size_t count,
                                 int order, const dwcas_pair *expected, const dwcas_pair *desired,
                                 dwcas_pair *observed, bool *ok);

/* A bare C loop of compare-and-sets on one pair with the kernel inlined, as a yardstick: ns. */
uint64_t dwcas_bare_cas_ns(uint64_t operations);

/* Nothing, with the arguments of dwcas_compare_and_set: what a call costs. */
bool dwcas_nothing(dwcas_atomic_pair *object, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                   int order);

#endif
