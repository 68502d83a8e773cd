/* SPDX-License-Identifier: MIT */
/* dwcas/wal.h: the format of a write-ahead log, as PostgreSQL's: where usable bytes lie
 * among page headers, and the checksum of a record. Loops over arrays, for other languages;
 * C has the same as inline functions in wal/layout.h and wal/crc32c.h.
 *
 * A bytepos counts usable bytes, an LSN all bytes of the log. The positions of a page's
 * first usable byte are two: where a record starts (after the header), and where the record
 * before it ended (before the header). */
#ifndef DWCAS_WAL_H
#define DWCAS_WAL_H

#include <stddef.h>
#include <stdint.h>

typedef struct dwcas_layout {
    uint64_t page_size;      /* bytes, a power of two */
    uint64_t segment_size;   /* bytes, a power of two, at least a page */
    uint64_t page_usable;    /* bytes after a short header */
    uint64_t segment_usable; /* bytes after all headers of a segment */
} dwcas_layout;

dwcas_layout dwcas_layout_of(uint64_t page_size, uint64_t segment_size);

/* For bytepos up to 2^62. */
void dwcas_start_lsn_many(const dwcas_layout *layout, const uint64_t *bytepos, size_t count,
                          uint64_t *lsn);
void dwcas_end_lsn_many(const dwcas_layout *layout, const uint64_t *bytepos, size_t count,
                        uint64_t *lsn);

/* Returns how many were mapped: fewer than `count` if the next one lies inside a header. */
size_t dwcas_bytepos_many(const dwcas_layout *layout, const uint64_t *lsn, size_t count,
                          uint64_t *bytepos);

/* CRC-32C (RFC 3720). */
uint32_t dwcas_crc32c(const void *bytes, size_t count);

/* What the CRC field of each record owes. `log` is without page headers; a length is at
 * least 24. */
void dwcas_record_crc_many(const uint8_t *log, const uint64_t *starts, const uint32_t *lengths,
                           size_t count, uint32_t *crcs);

#endif
