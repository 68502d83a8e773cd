/* SPDX-License-Identifier: MIT */
/* engine/memory.h: memory that shares no line with anything. */
#ifndef DWCAS_ENGINE_MEMORY_H
#define DWCAS_ENGINE_MEMORY_H

#include "engine/worker.h"

#include <stdlib.h>
#include <string.h>

/* NULL: there is none. */
static inline void *aligned_zeroed(size_t bytes)
{
    const size_t rounded = (bytes + DWCAS_LINE - 1) / DWCAS_LINE * DWCAS_LINE;
    void *memory = aligned_alloc(DWCAS_LINE, rounded);

    return memory == NULL ? NULL : memset(memory, 0, rounded);
}

#endif
