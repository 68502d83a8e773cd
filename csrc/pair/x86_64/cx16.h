/* SPDX-License-Identifier: MIT */
/* pair/x86_64/cx16.h: backend `cx16`, every operation by LOCK CMPXCHG16B. */
#include "pair/x86_64/cmpxchg16b.h"

#define pair_compare_exchange cmpxchg16b_compare_exchange
#define pair_compare_and_set cmpxchg16b_compare_and_set
#define pair_load cmpxchg16b_load

#include "pair/cas_loop.h"

#define pair_store cas_loop_store
#define PAIR_FETCH(name) cas_loop_##name
