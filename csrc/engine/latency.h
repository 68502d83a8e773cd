/* SPDX-License-Identifier: MIT */
/* engine/latency.h: a log-bucketed histogram of ticks.
 *
 * Below 32 ticks every value has its bucket; above, 16 buckets per octave, so a bucket
 * is at most 1/16 of its value wide. 976 buckets span all of 64 bits. */
#ifndef DWCAS_ENGINE_LATENCY_H
#define DWCAS_ENGINE_LATENCY_H

#include "dwcas/engine.h"

enum { LATENCY_OCTAVE_BITS = 4, LATENCY_OCTAVE = 1 << LATENCY_OCTAVE_BITS };

static inline uint32_t latency_bucket(uint64_t ticks)
{
    uint32_t shift;

    if (ticks < 2 * LATENCY_OCTAVE)
        return (uint32_t)ticks;
    shift = 63u - (uint32_t)__builtin_clzll(ticks) - LATENCY_OCTAVE_BITS;
    return shift * LATENCY_OCTAVE + (uint32_t)(ticks >> shift);
}

static inline uint64_t latency_bucket_low(uint32_t bucket)
{
    uint32_t shift;

    if (bucket < 2 * LATENCY_OCTAVE)
        return bucket;
    shift = bucket / LATENCY_OCTAVE - 1;
    if (shift > 59) /* one past the last bucket */
        return UINT64_MAX;
    return (uint64_t)(bucket % LATENCY_OCTAVE + LATENCY_OCTAVE) << shift;
}

#endif
