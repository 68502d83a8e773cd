/* SPDX-License-Identifier: MIT */
/* Broken: waits for a lock whose holder died. The run must end and say "no progress". */
#include "locks/wait.h"
#include "wal/methods/broken/gap.h"

#define broken_stuck_state two_words_state
#define broken_stuck_start two_words_start
#define broken_stuck_finish two_words_finish

DWCAS_INLINE dwcas_reservation broken_stuck_reserve(void *state, dwcas_thread *thread,
                                                    uint64_t size)
{
    (void)state;
    (void)size;
    while (!wait_aborted(thread))
        give_up_cpu();
    return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
}

DWCAS_DEFINE_METHOD(broken_stuck, .name = "broken-stuck", .kind = DWCAS_KIND_BROKEN, .links = true,
                    .sleeps = true, .summary = "wrong on purpose: no reservation ever ends",
                    .source = "a lock whose holder died")
