/* SPDX-License-Identifier: MIT */
/* wal/methods/define.h: turns a method's three functions into a registry row.
 *
 * A method's file defines, for an identifier X,
 *   struct X_state                                its state
 *   void X_start(void *state, tip, prev)          puts the two words there
 *   dwcas_reservation X_reserve(void *state, dwcas_thread *, size)   DWCAS_INLINE
 *   void X_finish(void *state, *tip, *prev)       reads them back, destroys
 * and ends with DWCAS_DEFINE_METHOD(X, .name = ..., ...). That yields the exported
 * reservation (what the checker reads), the two measured loops with the reservation
 * inlined, and the row that methods.def names. */
#ifndef DWCAS_WAL_METHODS_DEFINE_H
#define DWCAS_WAL_METHODS_DEFINE_H

#include "engine/loop.h"
#include "pair/selected.h"

#define DWCAS_DEFINE_METHOD(identifier, ...)                                                      \
    dwcas_reservation OF_BACKEND(dwcas_reserve_##identifier)(void *, dwcas_thread *, uint64_t);   \
    dwcas_reservation OF_BACKEND(dwcas_reserve_##identifier)(void *state, dwcas_thread *thread,   \
                                                             uint64_t size)                       \
    {                                                                                             \
        return identifier##_reserve(state, thread, size);                                         \
    }                                                                                             \
    static void identifier##_window_loop(struct dwcas_worker *worker)                             \
    {                                                                                             \
        window_loop(worker, identifier##_reserve);                                                \
    }                                                                                             \
    static void identifier##_history_loop(struct dwcas_worker *worker)                            \
    {                                                                                             \
        history_loop(worker, identifier##_reserve);                                               \
    }                                                                                             \
    extern const dwcas_method OF_BACKEND(dwcas_method_##identifier);                              \
    const dwcas_method OF_BACKEND(dwcas_method_##identifier) = {                                  \
        .state_bytes = sizeof(struct identifier##_state),                                         \
        .start = identifier##_start,                                                              \
        .reserve = OF_BACKEND(dwcas_reserve_##identifier),                                        \
        .finish = identifier##_finish,                                                            \
        .window_loop = identifier##_window_loop,                                                  \
        .history_loop = identifier##_history_loop,                                                \
        __VA_ARGS__};

#endif
