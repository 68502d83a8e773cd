/* SPDX-License-Identifier: MIT */
/* pair/arm64/lse128_rcpc3.h: backend `lse128_rcpc3`, as `lse128`, with LDIAPP for
 * ordered loads and STILP for a release store. */
#include "pair/arm64/casp.h"
#include "pair/arm64/ldiapp.h"
#include "pair/arm64/swpp.h"

#define pair_compare_exchange casp_compare_exchange
#define pair_compare_and_set casp_compare_and_set
#define pair_load ldiapp_load
static inline void lse128_rcpc3_store(dwcas_atomic_pair *object, dwcas_pair desired,
                                      dwcas_order order)
{
    if (order == DWCAS_SEQ_CST)
        swpp_store(object, desired, order);
    else
        stilp_store(object, desired, order);
}

#define pair_store lse128_rcpc3_store

#include "pair/arm64/lse128_fetch.h"
#include "pair/cas_loop.h"
