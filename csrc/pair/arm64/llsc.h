/* SPDX-License-Identifier: MIT */
/* pair/arm64/llsc.h: backend `llsc`, load- and store-exclusive pairs; every Armv8 CPU. */
#include "pair/arm64/ldxp.h"
#include "pair/halves.h"

#define pair_compare_exchange ldxp_compare_exchange
#define pair_compare_and_set ldxp_compare_and_set
#define pair_load ldxp_load
#define pair_store ldxp_store
#define PAIR_FETCH(name) ldxp_##name
