/* SPDX-License-Identifier: MIT */
/* wal/methods/flat_combining.c: flat combining, each request linked to the one served
 * before it. */
#include "wal/methods/flat_combining.h"

static inline void flat_combining_serve(struct flat_combining_state *state,
                                        struct combining_record *record, uint64_t size,
                                        dwcas_thread *thread)
{
    (void)thread;
    record->start = state->tip;
    record->prev = state->prev;
    state->prev = state->tip;
    state->tip += size;
}

DWCAS_INLINE dwcas_reservation flat_combining_reserve(void *state, dwcas_thread *thread,
                                                      uint64_t size)
{
    return flat_combining_reserve_by(state, thread, size, flat_combining_serve);
}

DWCAS_DEFINE_METHOD(flat_combining, .name = "flat-combining", .kind = DWCAS_KIND_COMBINING,
                    .links = true, .sleeps = true, .lock = "ttas",
                    .summary = "who gets the lock reserves for all that have asked",
                    .source = "Hendler, Incze, Shavit, Tzafrir 2010")
