/* SPDX-License-Identifier: MIT */
/* cost/walks.h: one walk per operation, per backend. */
#ifndef DWCAS_COST_WALKS_H
#define DWCAS_COST_WALKS_H

#include "dwcas/pair.h"

enum { LINE = 64 };

typedef struct dwcas_line {
    _Alignas(LINE) dwcas_atomic_pair pair;
} dwcas_line;

/* Applies the operation to lines[order[0]], lines[order[1]] ..; the sum of results, 0. */
typedef uint64_t dwcas_walk(dwcas_line *lines, const uint32_t *order, size_t count);

typedef enum dwcas_cost_operation {
#define COST(name, bytes, returns, expression) DWCAS_COST_##name,
#include "cost/operations.def"
#undef COST
    DWCAS_COSTS
} dwcas_cost_operation;

typedef struct dwcas_cost_walks {
    dwcas_walk *walk[DWCAS_COSTS];
} dwcas_cost_walks;

#endif
