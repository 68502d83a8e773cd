/* SPDX-License-Identifier: MIT */
/* wal/publish/watermark.h: one word below which everything is complete. */
#ifndef DWCAS_WAL_PUBLISH_WATERMARK_H
#define DWCAS_WAL_PUBLISH_WATERMARK_H

#include "wal/publish/publish.h"

struct watermark {
    _Alignas(DWCAS_LINE) _Atomic uint64_t complete;
};

static inline void watermark_start(void *memory, uint64_t tip, struct dwcas_slot *slots,
                                   uint32_t count)
{
    struct watermark *state = memory;

    (void)slots, (void)count;
    atomic_init(&state->complete, tip);
}

static inline uint64_t watermark_read(void *memory)
{
    struct watermark *state = memory;

    return atomic_load_explicit(&state->complete, memory_order_acquire);
}

#endif
