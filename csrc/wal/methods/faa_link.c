/* SPDX-License-Identifier: MIT */
/* wal/methods/faa_link.c: R6, a fetch-add; each record leaves its start for the next one.
 *
 * Who got [start, end) stores `start` where the record that begins at `end` will look, then
 * waits until the record before has done the same for `start`. In the patch that place is
 * the xl_prev field of the next record's header in the WAL page, and only the CRC waits;
 * here it is a ring by position, and the wait is inside the reservation, because a
 * reservation hands out its link. The fetch-add never waits for anybody; the link waits for
 * exactly one other thread, which has yet to store it.
 *
 * A slot holds one link at a time: it is filled, and looked at, only when nobody is at work
 * a ring or more below (inserting.h; in the patch that is the wait for a free WAL page), and
 * who takes the link clears it. The oldest record at work never waits, so all get on.
 * Source: Zhou, pgsql-hackers, January 2025, "Lock-free XLog Reservation". */
#include "wal/methods/inserting.h"

enum {
    LINK_SLOTS = CHECKED_SIZE(1 << 17, 4),
    RING_BYTES = LINK_SLOTS * 8, /* of log: one slot per possible position */
    IS_LINK = 1,                 /* positions are multiples of 8; 0 is a position, too */
};

struct faa_link_state {
    _Alignas(DWCAS_LINE) _Atomic uint64_t tip;
    _Alignas(DWCAS_LINE) uint64_t origin;
    struct inserting inserting;
    _Alignas(DWCAS_LINE) _Atomic uint64_t slots[LINK_SLOTS];
};

static _Atomic uint64_t *link_slot(struct faa_link_state *state, uint64_t position)
{
    return &state->slots[position / 8 % LINK_SLOTS];
}

static void faa_link_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct faa_link_state *state = memory;

    atomic_store(&state->tip, tip);
    state->origin = tip;
    atomic_store(link_slot(state, tip), prev | IS_LINK);
}

/* The slot of a position once it is for that position alone; NULL if the run was aborted. */
DWCAS_INLINE _Atomic uint64_t *free_slot(struct faa_link_state *state, dwcas_thread *thread,
                                         uint64_t position)
{
    if (!inserting_wait(&state->inserting, thread, &state->tip, position, RING_BYTES))
        return NULL;
    return link_slot(state, position);
}

DWCAS_INLINE bool leave_link(struct faa_link_state *state, dwcas_thread *thread, uint64_t start,
                             uint64_t end)
{
    _Atomic uint64_t *slot = free_slot(state, thread, end);

    if (slot == NULL)
        return false;
    /* Release: pairs with the load in take_link. */
    atomic_store_explicit(slot, start | IS_LINK, memory_order_release);
    return true;
}

DWCAS_INLINE bool take_link(struct faa_link_state *state, dwcas_thread *thread, uint64_t start,
                            uint64_t *prev)
{
    _Atomic uint64_t *slot = free_slot(state, thread, start);
    uint32_t spins = 0;
    uint64_t link;

    if (slot == NULL)
        return false;
    while ((link = atomic_load_explicit(slot, memory_order_acquire)) == 0)
        if (!wait_again(&spins, thread))
            return false;
    atomic_store_explicit(slot, 0, memory_order_relaxed);
    *prev = link - IS_LINK;
    return true;
}

DWCAS_INLINE dwcas_reservation faa_link_reserve(void *memory, dwcas_thread *thread, uint64_t size)
{
    struct faa_link_state *state = memory;
    const bool fits = size < RING_BYTES;
    uint64_t start, end, prev;

    if (!inserting_enter(&state->inserting, thread, state->origin))
        return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
    start = atomic_fetch_add_explicit(&state->tip, size, memory_order_acq_rel);
    end = start + size;
    inserting_at(thread, start);
    if (fits && !leave_link(state, thread, start, end))
        return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
    if (!take_link(state, thread, start, &prev))
        return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
    if (!fits) { /* its own place is a ring or more below its end */
        inserting_at(thread, end);
        if (!leave_link(state, thread, start, end))
            return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
    }
    inserting_leave(thread, end);
    return (dwcas_reservation){start, end, prev};
}

static void faa_link_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct faa_link_state *state = memory;

    *tip = atomic_load(&state->tip);
    *prev = atomic_load(link_slot(state, *tip)) - IS_LINK;
}

DWCAS_DEFINE_METHOD(faa_link, .name = "faa-link", .kind = DWCAS_KIND_FETCH_ADD, .links = true,
                    .sleeps = true, .telling = true,
                    .summary = "fetch-add; the link is left for the next record in a ring",
                    .source = "Zhou, pgsql-hackers 2025, Lock-free XLog Reservation")
