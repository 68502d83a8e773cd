/* SPDX-License-Identifier: MIT */
#include "wal/pages.h"

#include <stdlib.h>

bool pages_open(struct pages *pages, const dwcas_layout *layout, uint64_t count, uint64_t lsn)
{
    pages->layout = *layout;
    pages->first = pages->next = lsn & ~(layout->page_size - 1);
    pages->ring = count * layout->page_size;
    pages->bytes = aligned_alloc(layout->page_size, pages->ring);
    pages->ends = calloc(count, sizeof *pages->ends);
    if (pages->bytes == NULL || pages->ends == NULL)
        return false;
    memset(pages->bytes, 0, pages->ring); /* the first touch is not what is measured */
    return true;
}

void pages_close(struct pages *pages)
{
    free(pages->bytes);
    free(pages->ends);
}

void pages_begin(struct pages *pages)
{
    const uint64_t page_size = pages->layout.page_size;
    unsigned char *page = pages_at(pages, pages->next);
    const bool leads = (pages->next & (pages->layout.segment_size - 1)) == 0;
    const struct long_page_header header = {
        .header = {.magic = pages->magic,
                   .flags = leads ? PAGE_LONG : 0,
                   .timeline = TIMELINE,
                   .address = pages->next},
        .system_id = pages->system_id,
        .segment_size = (uint32_t)pages->layout.segment_size,
        .page_size = (uint32_t)page_size,
    };

    memset(page, 0, page_size);
    memcpy(page, &header, leads ? LAYOUT_LONG_HEADER : LAYOUT_SHORT_HEADER);
    /* Release; pairs with pages_has. In openGauss the two got reordered (a2d6c8030). */
    atomic_store_explicit(&pages->ends[(pages->next & (pages->ring - 1)) / page_size],
                          pages->next + page_size, memory_order_release);
    pages->next += page_size;
}
