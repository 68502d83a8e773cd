/* SPDX-License-Identifier: MIT */
/* wal/insert.h: an insert path as the engine runs it.
 *
 * It takes the place of a method: what its loops call is a reservation that also gates,
 * copies, publishes and flushes. */
#ifndef DWCAS_WAL_INSERT_H
#define DWCAS_WAL_INSERT_H

#include "dwcas/engine.h"

struct dwcas_worker;
struct dwcas_insert;

/* For a plan with `insert`; NULL: no memory. */
struct dwcas_insert *dwcas_insert_open(const dwcas_plan *plan);

/* After all threads have left: writes the rest, reads everything back, frees. */
void dwcas_insert_close(struct dwcas_insert *path, dwcas_result *result);

void dwcas_insert_window_loop(struct dwcas_worker *worker);
void dwcas_insert_history_loop(struct dwcas_worker *worker);

#endif
