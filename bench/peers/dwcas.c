/* SPDX-License-Identifier: MIT */
/* Our kernel of the backend that the build names. */
#include "pair/selected.h"

typedef dwcas_atomic_pair pair;

static inline bool cas(pair *object, pair *expected, pair desired)
{
    dwcas_pair seen;
    const bool ok =
        pair_compare_exchange(object, (dwcas_pair){expected->lo, expected->hi},
                              (dwcas_pair){desired.lo, desired.hi}, &seen, DWCAS_SEQ_CST);

    *expected = (pair){seen.lo, seen.hi};
    return ok;
}

#include "driver.h"
