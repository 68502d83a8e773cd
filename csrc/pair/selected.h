/* SPDX-License-Identifier: MIT */
/* pair/selected.h: the kernels of the backend this file is being compiled for.
 *
 * Files that use pairs (the exported functions, the reservation methods) are compiled
 * once per backend, with DWCAS_BACKEND set to its name and DWCAS_BACKEND_HEADER to its
 * kernels, so that an operation is inlined where a database would inline it. Dispatch
 * then chooses among whole tables, once.
 *
 * A backend's header names its kernels:
 *   pair_compare_exchange(object, expected, desired, observed, order)
 *   pair_compare_and_set(object, expected, desired, order)
 *   pair_load(object, order)           one single-copy atomic 16-byte read
 *   pair_store(object, desired, order) one single-copy atomic 16-byte write
 *   PAIR_FETCH(name)                   for each row of operations.def a function
 *                                      (object, operand, order) that returns the old pair
 * `order` is a constant at every call. pair/cas_loop.h derives store and the fetches from
 * pair_compare_exchange. */
#ifndef DWCAS_PAIR_SELECTED_H
#define DWCAS_PAIR_SELECTED_H

#include DWCAS_BACKEND_HEADER
#include "pair/halves.h"

#define DWCAS_JOIN_(a, b) a##_##b
#define DWCAS_JOIN(a, b) DWCAS_JOIN_(a, b)

/* OF_BACKEND(dwcas_pair_load) is dwcas_pair_load_cx16 in the files of cx16. */
#define OF_BACKEND(name) DWCAS_JOIN(name, DWCAS_BACKEND)

#endif
