/* SPDX-License-Identifier: MIT */
/* Broken: a combiner that moves the prev link for its own request alone. Places are right,
 * and so is every link as long as nobody asks at the same time. */
#include "wal/methods/flat_combining.h"

#include "wal/methods/broken/gap.h"

#define broken_flat_combining_state flat_combining_state
#define broken_flat_combining_start flat_combining_start
#define broken_flat_combining_finish flat_combining_finish

static inline void broken_flat_combining_serve(struct flat_combining_state *state,
                                               struct combining_record *record, uint64_t size,
                                               dwcas_thread *thread)
{
    gap(thread);
    record->start = state->tip;
    record->prev = state->prev;
    if (record == (struct combining_record *)thread->shared)
        state->prev = state->tip;
    state->tip += size;
}

DWCAS_INLINE dwcas_reservation broken_flat_combining_reserve(void *state, dwcas_thread *thread,
                                                             uint64_t size)
{
    return flat_combining_reserve_by(state, thread, size, broken_flat_combining_serve);
}

DWCAS_DEFINE_METHOD(broken_flat_combining, .name = "broken-flat-combining",
                    .kind = DWCAS_KIND_BROKEN, .links = true, .sleeps = true, .lock = "ttas",
                    .summary = "wrong on purpose: links only the combiner's own record",
                    .source = "a combiner that forgets prev")
