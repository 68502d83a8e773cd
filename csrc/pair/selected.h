/* SPDX-License-Identifier: MIT */
/* pair/selected.h: the kernels of the backend this file is being compiled for.
 *
 * Files that use pairs (the exported functions, the reservation methods) are compiled
 * once per backend, with DWCAS_BACKEND set to its name and DWCAS_BACKEND_HEADER to its
 * kernels, so that an operation is inlined where a database would inline it. Dispatch
 * then chooses among whole tables, once. */
#ifndef DWCAS_PAIR_SELECTED_H
#define DWCAS_PAIR_SELECTED_H

#include DWCAS_BACKEND_HEADER

#define DWCAS_JOIN_(a, b) a##_##b
#define DWCAS_JOIN(a, b) DWCAS_JOIN_(a, b)

/* OF_BACKEND(dwcas_pair_load) is dwcas_pair_load_cx16 in the files of cx16. */
#define OF_BACKEND(name) DWCAS_JOIN(name, DWCAS_BACKEND)

#define pair_compare_exchange OF_BACKEND(pair_compare_exchange)
#define pair_compare_and_set OF_BACKEND(pair_compare_and_set)
#define pair_load OF_BACKEND(pair_load)
#define pair_store OF_BACKEND(pair_store)
#define pair_guess OF_BACKEND(pair_guess)

#endif
