/* SPDX-License-Identifier: MIT */
/* wal/methods/group.h: R5, the first to come reserves for those who come after it.
 *
 * Who wants a place pushes its record on a list. Who found the list empty leads: it reserves
 * its own place by a CAS on {tip, prev}, takes the whole list by one exchange (popping one
 * by one would invite ABA), adds up the sizes, reserves for all of them by a second CAS and
 * hands out the places, newest first, each linked to the one before. The list is empty from
 * the exchange on, so the next leader need not wait for this one.
 *
 * Followers spin, give up the CPU a few times, then sleep; the leader wakes who sleeps. A
 * leader that loses its CPU before it has served them holds them up, and nobody else.
 * There is a list per NUMA node, so that followers' lines stay near their leader.
 * Source: openGauss for aarch64, XLogInsertRecordGroup; there followers sleep at once, on
 * a semaphore, and the groups are dealt out by process number. */
#ifndef DWCAS_WAL_METHODS_GROUP_H
#define DWCAS_WAL_METHODS_GROUP_H

#include "locks/place.h"
#include "locks/sleep.h"
#include "locks/wait.h"
#include "wal/methods/cas128.h"

enum {
    GROUPS = CHECKED_SIZE(16, 1),      /* nodes beyond share one */
    GROUP_YIELDS = CHECKED_SIZE(4, 1), /* before a follower sleeps */
};

enum { GROUP_WAITS, GROUP_SLEEPS, GROUP_SERVED };

struct group_record {
    _Atomic uint32_t status; /* who changes it to GROUP_SERVED may not touch the rest again */
    uint64_t size;
    uint64_t start; /* the answer */
    uint64_t prev;
    struct group_record *next; /* the one that came before, NULL in the leader's */
};

_Static_assert(sizeof(struct group_record) <= sizeof(((dwcas_thread *)0)->shared),
               "fits the thread");

struct group_list {
    _Alignas(DWCAS_LINE) struct group_record *_Atomic newest;
};

struct group_state {
    struct cas128_state words;
    struct group_list lists[GROUPS];
};

static inline void group_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct group_state *state = memory;

    cas128_start(&state->words, tip, prev);
    for (int i = 0; i < GROUPS; i++)
        atomic_init(&state->lists[i].newest, NULL);
}

static inline void group_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct group_state *state = memory;

    cas128_finish(&state->words, tip, prev);
}

/* Reserves `total` bytes, the last record of which has `last`; returns {start, prev}. */
typedef dwcas_pair group_move(struct group_state *state, dwcas_thread *thread, uint64_t total,
                              uint64_t last);

/* False if the run was aborted. */
static inline bool group_follow(struct group_record *own, dwcas_thread *thread)
{
    uint32_t spent = 0, waits = GROUP_WAITS;

    for (int looks = 0; looks < WAIT_PAUSES + GROUP_YIELDS; looks++) {
        /* G3: acquire; pairs with G4. */
        if (atomic_load_explicit(&own->status, memory_order_acquire) == GROUP_SERVED)
            return true;
        if (!wait_again(&spent, thread))
            return false;
    }
    if (!atomic_compare_exchange_strong_explicit(&own->status, &waits, GROUP_SLEEPS,
                                                 memory_order_acquire, memory_order_acquire))
        return true;
    while (atomic_load_explicit(&own->status, memory_order_acquire) != GROUP_SERVED) {
        if (wait_aborted(thread))
            return false;
        sleep_on(&own->status, GROUP_SLEEPS);
    }
    return true;
}

/* Serves all records from `newest` down to the leader's own. */
DWCAS_INLINE void group_lead(struct group_state *state, dwcas_thread *thread,
                             struct group_record *newest, struct group_record *own,
                             group_move *move)
{
    uint64_t total = 0, last = 0;
    dwcas_pair at;

    for (struct group_record *record = newest; record != own; record = record->next) {
        last = record->size;
        total += last;
    }
    at = move(state, thread, total, last);
    for (struct group_record *record = newest; record != own;) {
        struct group_record *next = record->next;

        record->start = at.lo;
        record->prev = at.hi;
        at = (dwcas_pair){at.lo + record->size, at.lo};
        /* G4: release; pairs with G3. */
        if (atomic_exchange_explicit(&record->status, GROUP_SERVED, memory_order_release) ==
            GROUP_SLEEPS)
            sleep_wake(&record->status);
        record = next;
    }
}

DWCAS_INLINE dwcas_reservation group_reserve_by(void *memory, dwcas_thread *thread, uint64_t size,
                                                group_move *move)
{
    struct group_state *state = memory;
    struct group_record *own = (struct group_record *)thread->shared;
    struct group_list *list = &state->lists[place_node((struct place *)thread->own) % GROUPS];
    struct group_record *newest;
    dwcas_pair at;

    own->size = size;
    atomic_store_explicit(&own->status, GROUP_WAITS, memory_order_relaxed);
    own->next = atomic_load_explicit(&list->newest, memory_order_relaxed);
    /* G1: release; pairs with G2. */
    while (!atomic_compare_exchange_weak_explicit(&list->newest, &own->next, own,
                                                  memory_order_release, memory_order_relaxed))
        thread->retries++;
    if (own->next != NULL) {
        if (!group_follow(own, thread))
            return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
        return (dwcas_reservation){own->start, own->start + size, own->prev};
    }
    at = move(state, thread, size, size);
    /* G2: acquire; pairs with G1 of every record on the list. */
    newest = atomic_exchange_explicit(&list->newest, NULL, memory_order_acquire);
    if (newest != own)
        group_lead(state, thread, newest, own, move);
    return (dwcas_reservation){at.lo, at.lo + size, at.hi};
}

#endif
