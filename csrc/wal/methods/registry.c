/* SPDX-License-Identifier: MIT */
/* wal/methods/registry.c: the methods of one backend, from the rows of methods.def. */
#include "dwcas/method.h"
#include "pair/selected.h"

#define METHOD(identifier) extern const dwcas_method OF_BACKEND(dwcas_method_##identifier);
#include "wal/methods/methods.def"
#undef METHOD

extern const dwcas_method *const OF_BACKEND(dwcas_methods)[];
const dwcas_method *const OF_BACKEND(dwcas_methods)[] = {
#define METHOD(identifier) &OF_BACKEND(dwcas_method_##identifier),
#include "wal/methods/methods.def"
#undef METHOD
    NULL,
};
