/* SPDX-License-Identifier: MIT */
/* Broken: leaves the start of the group's first record behind as prev link, not that of its
 * last. Right for groups of one. */
#include "wal/methods/group.h"

#include "wal/methods/broken/gap.h"

#define broken_group_state group_state
#define broken_group_start group_start
#define broken_group_finish group_finish

DWCAS_INLINE dwcas_pair broken_group_move(struct group_state *state, dwcas_thread *thread,
                                          uint64_t total, uint64_t last)
{
    (void)last;
    gap(thread);
    return cas128_move(&state->words, thread, total, total, 0);
}

DWCAS_INLINE dwcas_reservation broken_group_reserve(void *state, dwcas_thread *thread,
                                                    uint64_t size)
{
    return group_reserve_by(state, thread, size, broken_group_move);
}

DWCAS_DEFINE_METHOD(broken_group, .name = "broken-group", .kind = DWCAS_KIND_BROKEN, .links = true,
                    .sleeps = true,
                    .summary = "wrong on purpose: links to the first of the group before",
                    .source = "newest-first places with an oldest-first link")
