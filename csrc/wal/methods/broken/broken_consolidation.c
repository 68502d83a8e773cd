/* SPDX-License-Identifier: MIT */
/* Broken: leaves the start of the slot's first record behind as prev link, not that of its
 * last. Right for slots of one. */
#include "wal/methods/consolidation.h"

#include "wal/methods/broken/gap.h"

#define broken_consolidation_state consolidation_state
#define broken_consolidation_start consolidation_start
#define broken_consolidation_finish consolidation_finish

DWCAS_INLINE dwcas_pair broken_consolidation_locked(struct consolidation_state *state,
                                                    dwcas_thread *thread, uint64_t total,
                                                    uint64_t last)
{
    const dwcas_pair at = {state->tip, state->prev};

    (void)last;
    gap(thread);
    state->tip = at.lo + total;
    state->prev = at.lo;
    return at;
}

DWCAS_INLINE dwcas_reservation broken_consolidation_reserve(void *state, dwcas_thread *thread,
                                                            uint64_t size)
{
    gap(thread); /* also without the lock, so that those in the slots get it */
    return consolidation_reserve_by(state, thread, size, broken_consolidation_locked);
}

DWCAS_DEFINE_METHOD(broken_consolidation, .name = "broken-consolidation",
                    .kind = DWCAS_KIND_BROKEN, .links = true, .sleeps = true, .lock = "ttas",
                    .summary = "wrong on purpose: links to the first record of a slot",
                    .source = "a consolidation array that counts bytes and forgets records")
