/* SPDX-License-Identifier: MIT */
/* dwcas/backend.h: which instruction family serves this process.
 *
 * Decided once, by the first caller from whatever thread; the first answer wins and
 * serves every operation on every object from then on. The best backend that the CPU
 * has is taken, or the one that the environment variable DWCAS_BACKEND names.
 * DWCAS_DISABLE lists features (by name, comma between) to treat as absent.
 *
 * There is no fallback to a lock: without a backend every caller gets NULL, and
 * dwcas_backend_error says in one line what is missing. */
#ifndef DWCAS_BACKEND_H
#define DWCAS_BACKEND_H

#include "dwcas/pair.h"

struct dwcas_method;
struct dwcas_pair_batches;
struct dwcas_cost_walks;

typedef struct dwcas_backend {
    const char *name;
    uint32_t features;                               /* the bits it needs */
    const dwcas_pair_operations *operations;         /* exported kernels */
    const struct dwcas_pair_batches *batches;        /* loops over many pairs */
    const struct dwcas_cost_walks *walks;            /* loops that are timed (dwcas/cost.h) */
    const struct dwcas_method *const *methods;       /* reservation methods; NULL at the end */
    uint64_t (*bare_cas128_ns)(uint64_t operations); /* a bare loop, as a yardstick */
} dwcas_backend;

/* The chosen backend, or NULL. */
const dwcas_backend *dwcas_backend_chosen(void);

/* Decide for the backend of that name. False, with one line in `error`, if there is none of
 * that name, the CPU lacks it, or the process has already decided for another. */
bool dwcas_backend_use(const char *name, char *error, size_t bytes);

/* One line: why there is no backend; "" where there is one. */
const char *dwcas_backend_error(void);

/* The backends of this architecture, worst first; NULL past the end. */
const dwcas_backend *dwcas_backend_at(size_t index);

/* Can this machine run it? */
bool dwcas_backend_available(const dwcas_backend *backend);

/* The i-th feature of this architecture; false past the end. */
bool dwcas_feature_at(size_t index, const char **name, const char **source, bool *present);

#endif
