/* SPDX-License-Identifier: MIT */
/* wal/methods/group.c: R5, the words moved by one 16-byte CAS per group. */
#include "wal/methods/group.h"

DWCAS_INLINE dwcas_pair group_cas128(struct group_state *state, dwcas_thread *thread,
                                     uint64_t total, uint64_t last)
{
    return cas128_move(&state->words, thread, total, last, 0);
}

DWCAS_INLINE dwcas_reservation group_reserve(void *state, dwcas_thread *thread, uint64_t size)
{
    return group_reserve_by(state, thread, size, group_cas128);
}

DWCAS_DEFINE_METHOD(group, .name = "group", .kind = DWCAS_KIND_COMBINING, .links = true,
                    .sleeps = true,
                    .summary = "the first to come reserves for those who come after it",
                    .source = "openGauss for aarch64, XLogInsertRecordGroup")
