/* SPDX-License-Identifier: MIT */
/* GCC's libatomic, by a call: built without -mcx16. */
#include "pair.h"

static inline bool cas(pair *object, pair *expected, pair desired)
{
    return __atomic_compare_exchange(object, expected, &desired, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

#include "driver.h"
