/* SPDX-License-Identifier: MIT */
/* The compiler's own 16-byte __sync builtin, inlined. */
#include "pair.h"

__extension__ typedef unsigned __int128 u128;

static inline bool cas(pair *object, pair *expected, pair desired)
{
    /* By arithmetic: by memcpy the halves would go through memory, and stall there. */
    const u128 old = (u128)expected->hi << 64 | expected->lo;
    const u128 new = (u128)desired.hi << 64 | desired.lo;
    const u128 seen = __sync_val_compare_and_swap((u128 *)(void *)object, old, new);

    *expected = (pair){(uint64_t)seen, (uint64_t)(seen >> 64)};
    return seen == old;
}

#include "driver.h"
