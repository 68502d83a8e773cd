/* SPDX-License-Identifier: MIT */
#ifndef DWCAS_BENCH_PAIR_H
#define DWCAS_BENCH_PAIR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pair {
    _Alignas(16) uint64_t lo;
    uint64_t hi;
} pair;

#endif
