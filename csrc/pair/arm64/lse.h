/* SPDX-License-Identifier: MIT */
/* pair/arm64/lse.h: backend `lse`, every operation by CASP. */
#include "pair/arm64/casp.h"

#define pair_compare_exchange casp_compare_exchange
#define pair_compare_and_set casp_compare_and_set
#define pair_load casp_load

#include "pair/cas_loop.h"

#define pair_store cas_loop_store
#define PAIR_FETCH(name) cas_loop_##name
