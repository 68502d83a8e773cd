/* SPDX-License-Identifier: MIT */
/* wal/methods/consolidation.c: R13, the prev link moved to the last record of the slot. */
#include "wal/methods/consolidation.h"

DWCAS_INLINE dwcas_pair consolidation_locked(struct consolidation_state *state,
                                             dwcas_thread *thread, uint64_t total, uint64_t last)
{
    const dwcas_pair at = {state->tip, state->prev};

    (void)thread;
    state->tip = at.lo + total;
    state->prev = state->tip - last;
    return at;
}

DWCAS_INLINE dwcas_reservation consolidation_reserve(void *state, dwcas_thread *thread,
                                                     uint64_t size)
{
    return consolidation_reserve_by(state, thread, size, consolidation_locked);
}

DWCAS_DEFINE_METHOD(consolidation, .name = "consolidation", .kind = DWCAS_KIND_COMBINING,
                    .links = true, .sleeps = true, .lock = "ttas", .telling = true,
                    .summary = "who finds the lock taken joins a slot that reserves as one",
                    .source = "Aether, Johnson et al. 2010: consolidation array")
