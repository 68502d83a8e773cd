/* SPDX-License-Identifier: MIT */
#include "wal/layout.h"

dwcas_layout dwcas_layout_of(uint64_t page_size, uint64_t segment_size)
{
    return layout_of(page_size, segment_size);
}

void dwcas_start_lsn_many(const dwcas_layout *layout, const uint64_t *bytepos, size_t count,
                          uint64_t *lsn)
{
    for (size_t i = 0; i < count; i++)
        lsn[i] = layout_start_lsn(layout, bytepos[i]);
}

void dwcas_end_lsn_many(const dwcas_layout *layout, const uint64_t *bytepos, size_t count,
                        uint64_t *lsn)
{
    for (size_t i = 0; i < count; i++)
        lsn[i] = layout_end_lsn(layout, bytepos[i]);
}

size_t dwcas_bytepos_many(const dwcas_layout *layout, const uint64_t *lsn, size_t count,
                          uint64_t *bytepos)
{
    size_t i;

    for (i = 0; i < count && !layout_inside_header(layout, lsn[i]); i++)
        bytepos[i] = layout_bytepos(layout, lsn[i]);
    return i;
}
