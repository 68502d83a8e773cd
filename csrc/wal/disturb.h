/* SPDX-License-Identifier: MIT */
/* wal/disturb.h: what befalls an insertion at a chosen point: its thread is suspended, or its
 * process killed.
 *
 * Costs a comparison with a word that nobody writes where nothing is asked for. */
#ifndef DWCAS_WAL_DISTURB_H
#define DWCAS_WAL_DISTURB_H

#include "dwcas/insert.h"
#include "engine/clock.h"
#include "locks/wait.h"

#include <signal.h>
#include <unistd.h>

struct disturb {
    dwcas_disturbance wanted;
    _Atomic uint64_t passes;
};

static inline bool disturb_wants(const struct disturb *disturb, dwcas_insert_point point)
{
    return __builtin_expect(disturb->wanted.point == point, 0);
}

/* One thread suspends itself; `thread` may be NULL where the run need not be asked. */
static inline void disturb_suspend(uint64_t ns, const dwcas_thread *thread)
{
    const uint64_t until = clock_ns() + ns;
    const struct timespec slice = {0, 1000000};

    while (clock_ns() < until && (thread == NULL || !wait_aborted(thread)))
        nanosleep(&slice, NULL);
}

static inline void disturb_at(struct disturb *disturb, dwcas_insert_point point,
                              const dwcas_thread *thread)
{
    if (!disturb_wants(disturb, point) ||
        atomic_fetch_add_explicit(&disturb->passes, 1, memory_order_relaxed) + 1 !=
            disturb->wanted.nth)
        return;
    if (disturb->wanted.suspend_ns > 0)
        disturb_suspend(disturb->wanted.suspend_ns, thread);
    else
        kill(getpid(), SIGKILL);
}

#endif
