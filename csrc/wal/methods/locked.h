/* SPDX-License-Identifier: MIT */
/* wal/methods/locked.h: R1, the two words under a lock, for any lock of csrc/locks.
 *
 * As in PostgreSQL's XLogCtlInsert the lock and both words share one padded line: who
 * gets the lock gets the words with it, and one transfer serves both. Nothing else lies
 * on that line (sharing it with read-mostly fields cost PostgreSQL a redesign, commit
 * 375d8526f2). The critical section is an addition and two moves; the mapping from
 * bytepos to LSN happens outside.
 *
 * The words come first, so that what a lock has on further lines does not part them from
 * the word that everybody takes it by. A lock that is wrong on purpose defines IN_LOCK, to
 * stay inside for longer.
 * Source: PostgreSQL 14 to 17, xlog.c, ReserveXLogInsertLocation. */
#ifndef DWCAS_WAL_METHODS_LOCKED_H
#define DWCAS_WAL_METHODS_LOCKED_H

#include "wal/methods/define.h"

#include <stddef.h>

#ifndef IN_LOCK
#define IN_LOCK(thread) ((void)(thread))
#endif

#define DWCAS_DEFINE_LOCKED_METHOD(lock_name, ...)                                                \
    struct lock_name##_state {                                                                    \
        _Alignas(DWCAS_LINE) uint64_t tip; /* PostgreSQL: CurrBytePos */                          \
        uint64_t prev;                     /* PostgreSQL: PrevBytePos */                          \
        lock_name##_lock lock;                                                                    \
    };                                                                                            \
    _Static_assert(offsetof(struct lock_name##_state, lock) == 2 * sizeof(uint64_t),              \
                   "the lock begins on the line of the words");                                   \
                                                                                                  \
    static void lock_name##_start(void *memory, uint64_t tip, uint64_t prev)                      \
    {                                                                                             \
        struct lock_name##_state *state = memory;                                                 \
                                                                                                  \
        lock_name##_lock_start(&state->lock);                                                     \
        state->tip = tip;                                                                         \
        state->prev = prev;                                                                       \
    }                                                                                             \
                                                                                                  \
    DWCAS_INLINE dwcas_reservation lock_name##_reserve(void *memory, dwcas_thread *thread,        \
                                                       uint64_t size)                             \
    {                                                                                             \
        struct lock_name##_state *state = memory;                                                 \
        dwcas_reservation r;                                                                      \
                                                                                                  \
        if (!lock_name##_lock_acquire(&state->lock, thread))                                      \
            return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};                                 \
        r.start = state->tip;                                                                     \
        r.end = r.start + size;                                                                   \
        r.prev = state->prev;                                                                     \
        IN_LOCK(thread);                                                                          \
        state->tip = r.end;                                                                       \
        state->prev = r.start;                                                                    \
        lock_name##_lock_release(&state->lock, thread);                                           \
        return r;                                                                                 \
    }                                                                                             \
                                                                                                  \
    static void lock_name##_finish(void *memory, uint64_t *tip, uint64_t *prev)                   \
    {                                                                                             \
        struct lock_name##_state *state = memory;                                                 \
                                                                                                  \
        *tip = state->tip;                                                                        \
        *prev = state->prev;                                                                      \
        lock_name##_lock_finish(&state->lock);                                                    \
    }                                                                                             \
    DWCAS_DEFINE_METHOD(lock_name, .links = true, __VA_ARGS__)

#endif
