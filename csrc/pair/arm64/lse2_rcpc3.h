/* SPDX-License-Identifier: MIT */
/* pair/arm64/lse2_rcpc3.h: backend `lse2_rcpc3`, as `lse2`, with LDIAPP and STILP for
 * ordered loads and stores. */
#include "pair/arm64/casp.h"
#include "pair/arm64/ldiapp.h"

#define pair_compare_exchange casp_compare_exchange
#define pair_compare_and_set casp_compare_and_set
#define pair_load ldiapp_load
#define pair_store stilp_store

#include "pair/cas_loop.h"

#define PAIR_FETCH(name) cas_loop_##name
