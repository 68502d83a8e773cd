/* SPDX-License-Identifier: MIT */
/* wal/layout.h: bytepos to LSN and back.
 *
 * The first page of a segment has a longer header than the others. Counting the difference
 * as if it were used makes all pages of a segment alike: a page number and an offset are
 * then one division. */
#ifndef DWCAS_WAL_LAYOUT_H
#define DWCAS_WAL_LAYOUT_H

#include "dwcas/wal.h"

#include <stdbool.h>

enum {
    LAYOUT_SHORT_HEADER = 24,
    LAYOUT_LONG_HEADER = 40, /* on the first page of a segment */
    LAYOUT_LONGER_BY = LAYOUT_LONG_HEADER - LAYOUT_SHORT_HEADER,
};

static inline dwcas_layout layout_of(uint64_t page_size, uint64_t segment_size)
{
    const uint64_t page_usable = page_size - LAYOUT_SHORT_HEADER;

    return (dwcas_layout){
        .page_size = page_size,
        .segment_size = segment_size,
        .page_usable = page_usable,
        .segment_usable = segment_size / page_size * page_usable - LAYOUT_LONGER_BY,
    };
}

static inline uint64_t layout_in_page(const dwcas_layout *layout, uint64_t lsn)
{
    return lsn & (layout->page_size - 1);
}

/* Bytes of the header of the page that `lsn` lies on. */
static inline uint64_t layout_header(const dwcas_layout *layout, uint64_t lsn)
{
    const bool first_page = (lsn & (layout->segment_size - 1)) < layout->page_size;

    return first_page ? LAYOUT_LONG_HEADER : LAYOUT_SHORT_HEADER;
}

/* Where a record starts: the byte itself, never a header. */
static inline uint64_t layout_start_lsn(const dwcas_layout *layout, uint64_t bytepos)
{
    const uint64_t segment = bytepos / layout->segment_usable;
    const uint64_t used = bytepos % layout->segment_usable + LAYOUT_LONGER_BY;

    return segment * layout->segment_size + used / layout->page_usable * layout->page_size +
           LAYOUT_SHORT_HEADER + used % layout->page_usable;
}

/* Where a record ends: a full page ends where the next one begins, before its header. */
static inline uint64_t layout_end_lsn(const dwcas_layout *layout, uint64_t bytepos)
{
    const uint64_t lsn = layout_start_lsn(layout, bytepos);
    const uint64_t header = layout_header(layout, lsn);

    return layout_in_page(layout, lsn) == header ? lsn - header : lsn;
}

/* Neither a start nor an end. */
static inline bool layout_inside_header(const dwcas_layout *layout, uint64_t lsn)
{
    const uint64_t in_page = layout_in_page(layout, lsn);

    return in_page != 0 && in_page < layout_header(layout, lsn);
}

/* Of a start or an end; the two positions of a page's first byte give the same. */
static inline uint64_t layout_bytepos(const dwcas_layout *layout, uint64_t lsn)
{
    const uint64_t page = (lsn & (layout->segment_size - 1)) / layout->page_size;
    const uint64_t in_page = layout_in_page(layout, lsn);
    const uint64_t in_usable = in_page == 0 ? 0 : in_page - layout_header(layout, lsn);
    const uint64_t before = page == 0 ? 0 : page * layout->page_usable - LAYOUT_LONGER_BY;

    return lsn / layout->segment_size * layout->segment_usable + before + in_usable;
}

#endif
