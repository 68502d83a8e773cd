/* SPDX-License-Identifier: MIT */
/* pair/arm64/lse2.h: backend `lse2`, load and store by LDP and STP, the rest by CASP. */
#include "pair/arm64/casp.h"
#include "pair/arm64/ldp.h"

#define pair_compare_exchange casp_compare_exchange
#define pair_compare_and_set casp_compare_and_set
#define pair_load ldp_load
#define pair_store stp_store

#include "pair/cas_loop.h"

#define PAIR_FETCH(name) cas_loop_##name
