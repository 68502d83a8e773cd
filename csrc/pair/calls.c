/* SPDX-License-Identifier: MIT */
/* pair/calls.c: dwcas/calls.h by the chosen backend's tables. */
#include "dwcas/calls.h"

#include "dwcas/backend.h"
#include "pair/batches.h"

#include <stdlib.h>
#include <string.h>

static const dwcas_pair_operations *operations(void)
{
    return dwcas_backend_chosen()->operations;
}

static const dwcas_pair_batches *batches(void)
{
    return dwcas_backend_chosen()->batches;
}

void *dwcas_cells_new(size_t cells)
{
    void *memory;

    if (cells == 0 || cells > SIZE_MAX / DWCAS_CELL_BYTES)
        return NULL;
    memory = aligned_alloc(DWCAS_CELL_BYTES, cells * DWCAS_CELL_BYTES);
    return memory == NULL ? NULL : memset(memory, 0, cells * DWCAS_CELL_BYTES);
}

void dwcas_cells_free(void *cells)
{
    free(cells);
}

dwcas_pair dwcas_load(dwcas_atomic_pair *object, int order)
{
    return operations()->load[order](object);
}

void dwcas_store(dwcas_atomic_pair *object, uint64_t lo, uint64_t hi, int order)
{
    operations()->store[order](object, (dwcas_pair){lo, hi});
}

bool dwcas_compare_and_set(dwcas_atomic_pair *object, uint64_t expected_lo, uint64_t expected_hi,
                           uint64_t desired_lo, uint64_t desired_hi, int order)
{
    return operations()->compare_and_set[order](object, (dwcas_pair){expected_lo, expected_hi},
                                                (dwcas_pair){desired_lo, desired_hi});
}

dwcas_observed dwcas_compare_exchange(dwcas_atomic_pair *object, uint64_t expected_lo,
                                      uint64_t expected_hi, uint64_t desired_lo,
                                      uint64_t desired_hi, int success, int failure)
{
    const dwcas_order order = dwcas_order_join((dwcas_order)success, (dwcas_order)failure);
    dwcas_pair observed;
    const bool ok =
        operations()->compare_exchange[order](object, (dwcas_pair){expected_lo, expected_hi},
                                              (dwcas_pair){desired_lo, desired_hi}, &observed);

    return (dwcas_observed){observed.lo, observed.hi, ok};
}

dwcas_pair dwcas_fetch_pair(dwcas_atomic_pair *object, int fetch, uint64_t lo, uint64_t hi,
                            int order)
{
    return operations()->fetch[fetch][order](object, (dwcas_pair){lo, hi});
}

uint64_t dwcas_load_half(const dwcas_atomic_pair *object, int half, int order)
{
    return operations()->load_half[half][order](object);
}

uint64_t dwcas_fetch_add_half(dwcas_atomic_pair *object, int half, uint64_t operand, int order)
{
    return operations()->fetch_add_half[half][order](object, operand);
}

size_t dwcas_first_outside(const int64_t *indices, size_t count, size_t cells)
{
    const int64_t last = (int64_t)cells - 1;
    int64_t signs = 0;

    /* First whether there is one: no exit and no 64-bit compare, so it is vectorised even
     * with SSE2. An index is outside if it or its distance to the last one is negative. */
    for (size_t i = 0; i < count; i++)
        signs |= indices[i] | (int64_t)((uint64_t)last - (uint64_t)indices[i]);
    if (signs >= 0)
        return count;
    for (size_t i = 0; i < count; i++)
        if ((uint64_t)indices[i] >= cells)
            return i;
    return count;
}

void dwcas_load_many(void *base, size_t stride, const int64_t *indices, size_t count, int order,
                     dwcas_pair *values)
{
    const dwcas_cells cells = {base, stride, indices, count};

    batches()->load[order](&cells, values);
}

void dwcas_fetch_many(void *base, size_t stride, const int64_t *indices, size_t count, int fetch,
                      int order, const dwcas_pair *operands, dwcas_pair *old)
{
    const dwcas_cells cells = {base, stride, indices, count};

    batches()->fetch[fetch][order](&cells, operands, old);
}

void dwcas_compare_exchange_many(void *base, size_t stride, const int64_t *indices, size_t count,
                                 int order, const dwcas_pair *expected, const dwcas_pair *desired,
                                 dwcas_pair *observed, bool *ok)
{
    const dwcas_cells cells = {base, stride, indices, count};

    batches()->compare_exchange[order](&cells, expected, desired, observed, ok);
}

uint64_t dwcas_bare_cas_ns(uint64_t count)
{
    return batches()->bare_cas_ns(count);
}

bool dwcas_nothing(dwcas_atomic_pair *object, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                   int order)
{
    return object == NULL && (a | b | c | d) == 0 && order == 0;
}
