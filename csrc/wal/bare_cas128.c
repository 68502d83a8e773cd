/* SPDX-License-Identifier: MIT */
/* wal/bare_cas128.c: the reservation of cas128 as a bare loop, nothing around it. What the
 * engine adds to an operation is measured against this. */
#include "dwcas/backend.h"
#include "engine/clock.h"
#include "pair/selected.h"

uint64_t OF_BACKEND(dwcas_bare_cas128_ns)(uint64_t operations);

uint64_t OF_BACKEND(dwcas_bare_cas128_ns)(uint64_t operations)
{
    enum { SIZE = 64 };
    static _Alignas(128) dwcas_atomic_pair pair;
    const uint64_t begin = clock_ns();

    for (uint64_t i = 0; i < operations; i++) {
        dwcas_pair seen = pair_guess(&pair);

        while (!pair_compare_exchange(&pair, seen, (dwcas_pair){seen.lo + SIZE, seen.lo}, &seen,
                                      DWCAS_ACQ_REL)) {
        }
    }
    return clock_ns() - begin;
}
