/* SPDX-License-Identifier: MIT */
/* pair/batches.h: loops over many pairs, per backend and order, with the kernel inlined. */
#ifndef DWCAS_PAIR_BATCHES_H
#define DWCAS_PAIR_BATCHES_H

#include "dwcas/pair.h"

typedef struct dwcas_cells {
    char *base;
    size_t stride;
    const int64_t *indices;
    size_t count;
} dwcas_cells;

static inline dwcas_atomic_pair *cell_at(const dwcas_cells *cells, size_t i)
{
    return (dwcas_atomic_pair *)(void *)(cells->base + (size_t)cells->indices[i] * cells->stride);
}

typedef void dwcas_load_batch(const dwcas_cells *cells, dwcas_pair *values);
typedef void dwcas_fetch_batch(const dwcas_cells *cells, const dwcas_pair *operands,
                               dwcas_pair *old);
typedef void dwcas_compare_batch(const dwcas_cells *cells, const dwcas_pair *expected,
                                 const dwcas_pair *desired, dwcas_pair *observed, bool *ok);

typedef struct dwcas_pair_batches {
    dwcas_load_batch *load[DWCAS_ORDERS];
    dwcas_fetch_batch *fetch[DWCAS_FETCHES][DWCAS_ORDERS];
    dwcas_compare_batch *compare_exchange[DWCAS_ORDERS];
    uint64_t (*bare_cas_ns)(uint64_t operations);
} dwcas_pair_batches;

#endif
