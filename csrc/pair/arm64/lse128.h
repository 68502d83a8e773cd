/* SPDX-License-Identifier: MIT */
/* pair/arm64/lse128.h: backend `lse128`, as `lse2`, with one instruction each for
 * exchange, fetch_or and fetch_and. */
#include "pair/arm64/casp.h"
#include "pair/arm64/ldp.h"
#include "pair/arm64/swpp.h"

#define pair_compare_exchange casp_compare_exchange
#define pair_compare_and_set casp_compare_and_set
#define pair_load ldp_load
#define pair_store swpp_store

#include "pair/arm64/lse128_fetch.h"
#include "pair/cas_loop.h"
