/* SPDX-License-Identifier: MIT */
/* wal/methods/cas128.c: R3, tried again at once. */
#include "wal/methods/cas128.h"

DWCAS_INLINE dwcas_reservation cas128_reserve(void *state, dwcas_thread *thread, uint64_t size)
{
    return cas128_reserve_pausing(state, thread, size, 0);
}

DWCAS_DEFINE_METHOD(cas128, .name = "cas128", .kind = DWCAS_KIND_LOCK_FREE, .links = true,
                    .telling = true, .summary = "the pair {tip, prev} moved by one 16-byte CAS",
                    .source = "openGauss, June 2020 (815a9771f); the design seed")
