/* SPDX-License-Identifier: MIT */
/* dwcas/cost.h: what single memory operations cost on this machine.
 *
 * A walk applies one operation to many cache lines, one after the other. The address of
 * the next line depends on what the operation returned, so that operations that return
 * something are timed one at a time (latency); a plain store returns nothing and overlaps
 * with the next (throughput). Times are ns per operation, one sample a call; NAN where a
 * thread could not be started or pinned, or the other CPU did not answer in seconds. */
#ifndef DWCAS_COST_H
#define DWCAS_COST_H

#include "dwcas/pair.h"

enum { DWCAS_MODIFIED, DWCAS_EXCLUSIVE, DWCAS_SHARED }; /* what `owner` has of a line */

/* The operations; false past the end. `bytes` is what each moves, 0 for a fence. */
bool dwcas_cost_at(size_t index, const char **name, int *bytes, bool *returns);

/* ns per operation on lines of a working set of `bytes`, from the caches; `flushed`: each
 * line is written back to memory first. Pinned to `cpu`. */
double dwcas_cost_local(size_t operation, size_t bytes, bool flushed, int cpu);

/* ns per operation on lines that `owner` has in that state. Pinned to `cpu`. Shared: both
 * have the line. */
double dwcas_cost_remote(size_t operation, int state, int owner, int cpu);

/* ns from one CPU's write to the other's answer being possible: half a round trip of a word
 * that both poll; `wide`: by 16-byte compare-and-set instead of 8-byte stores. */
double dwcas_cost_handoff(bool wide, int a, int b);

/* ns of one cycle: a chain of dependent additions. Pinned to `cpu`. */
double dwcas_cost_cycle_ns(int cpu);

#endif
