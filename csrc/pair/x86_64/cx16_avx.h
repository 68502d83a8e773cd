/* SPDX-License-Identifier: MIT */
/* pair/x86_64/cx16_avx.h: backend `cx16_avx`, load and store by VMOVDQA, the rest by
 * LOCK CMPXCHG16B. The CAS loops still start from two 8-byte loads: moving the halves
 * out of a vector register is slower. */
#include "pair/x86_64/cmpxchg16b.h"
#include "pair/x86_64/vmovdqa.h"

#define pair_compare_exchange cmpxchg16b_compare_exchange
#define pair_compare_and_set cmpxchg16b_compare_and_set
#define pair_load vmovdqa_load
#define pair_store vmovdqa_store

#include "pair/cas_loop.h"

#define PAIR_FETCH(name) cas_loop_##name
