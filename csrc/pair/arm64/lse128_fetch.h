/* SPDX-License-Identifier: MIT */
/* pair/arm64/lse128_fetch.h: which read-modify-writes LSE128 has an instruction for. */
#define lse128_exchange swpp_exchange
#define lse128_fetch_or ldsetp_fetch_or
#define lse128_fetch_and ldclrp_fetch_and
#define lse128_fetch_add cas_loop_fetch_add
#define lse128_fetch_sub cas_loop_fetch_sub
#define lse128_fetch_add_lanes cas_loop_fetch_add_lanes
#define lse128_fetch_xor cas_loop_fetch_xor
#define lse128_fetch_nand cas_loop_fetch_nand
#define lse128_fetch_max cas_loop_fetch_max
#define lse128_fetch_min cas_loop_fetch_min
#define lse128_fetch_max_signed cas_loop_fetch_max_signed
#define lse128_fetch_min_signed cas_loop_fetch_min_signed
#define lse128_exchange_lo_add_hi cas_loop_exchange_lo_add_hi
#define PAIR_FETCH(name) lse128_##name
