/* SPDX-License-Identifier: MIT */
/* pair/values.h: what each read-modify-write makes of the old pair and its operand.
 *
 * A pair as a number is hi * 2^64 + lo; the signed forms read it as two's complement. */
#ifndef DWCAS_PAIR_VALUES_H
#define DWCAS_PAIR_VALUES_H

#include "dwcas/pair.h"

static inline bool pair_below(dwcas_pair a, dwcas_pair b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}

static inline bool pair_below_signed(dwcas_pair a, dwcas_pair b)
{
    return (int64_t)a.hi < (int64_t)b.hi || (a.hi == b.hi && a.lo < b.lo);
}

static inline dwcas_pair pair_new_exchange(dwcas_pair old, dwcas_pair operand)
{
    (void)old;
    return operand;
}

static inline dwcas_pair pair_new_fetch_add(dwcas_pair old, dwcas_pair operand)
{
    const uint64_t lo = old.lo + operand.lo;

    return (dwcas_pair){lo, old.hi + operand.hi + (lo < old.lo)};
}

static inline dwcas_pair pair_new_fetch_sub(dwcas_pair old, dwcas_pair operand)
{
    return (dwcas_pair){old.lo - operand.lo, old.hi - operand.hi - (old.lo < operand.lo)};
}

/* Each half its own sum: no carry. */
static inline dwcas_pair pair_new_fetch_add_lanes(dwcas_pair old, dwcas_pair operand)
{
    return (dwcas_pair){old.lo + operand.lo, old.hi + operand.hi};
}

static inline dwcas_pair pair_new_fetch_and(dwcas_pair old, dwcas_pair operand)
{
    return (dwcas_pair){old.lo & operand.lo, old.hi & operand.hi};
}

static inline dwcas_pair pair_new_fetch_or(dwcas_pair old, dwcas_pair operand)
{
    return (dwcas_pair){old.lo | operand.lo, old.hi | operand.hi};
}

static inline dwcas_pair pair_new_fetch_xor(dwcas_pair old, dwcas_pair operand)
{
    return (dwcas_pair){old.lo ^ operand.lo, old.hi ^ operand.hi};
}

static inline dwcas_pair pair_new_fetch_nand(dwcas_pair old, dwcas_pair operand)
{
    return (dwcas_pair){~(old.lo & operand.lo), ~(old.hi & operand.hi)};
}

static inline dwcas_pair pair_new_fetch_max(dwcas_pair old, dwcas_pair operand)
{
    return pair_below(old, operand) ? operand : old;
}

static inline dwcas_pair pair_new_fetch_min(dwcas_pair old, dwcas_pair operand)
{
    return pair_below(old, operand) ? old : operand;
}

static inline dwcas_pair pair_new_fetch_max_signed(dwcas_pair old, dwcas_pair operand)
{
    return pair_below_signed(old, operand) ? operand : old;
}

static inline dwcas_pair pair_new_fetch_min_signed(dwcas_pair old, dwcas_pair operand)
{
    return pair_below_signed(old, operand) ? old : operand;
}

/* A tagged pointer: lo is replaced, hi counts how often. */
static inline dwcas_pair pair_new_exchange_lo_add_hi(dwcas_pair old, dwcas_pair operand)
{
    return (dwcas_pair){operand.lo, old.hi + operand.hi};
}

#endif
