/* SPDX-License-Identifier: MIT */
/* Concurrency Kit: ck_pr_cas_64_2_value (Debian: libck-dev). */
#include "pair.h"

#include <ck_pr.h>

static inline bool cas(pair *object, pair *expected, pair desired)
{
    uint64_t compare[2] = {expected->lo, expected->hi}, set[2] = {desired.lo, desired.hi};
    uint64_t original[2];
    const bool ok = ck_pr_cas_64_2_value((uint64_t *)(void *)object, compare, set, original);

    *expected = (pair){original[0], original[1]};
    return ok;
}

#include "driver.h"
