/* SPDX-License-Identifier: MIT */
/* wal/crc32c.h: the checksum of a WAL record, CRC-32C (Castagnoli, RFC 3720).
 *
 * A sum begins as CRC32C_BEGIN, grows by crc32c(sum, bytes) as often as needed, and is
 * inverted at the end. */
#ifndef DWCAS_WAL_CRC32C_H
#define DWCAS_WAL_CRC32C_H

#include <stddef.h>
#include <stdint.h>

#define CRC32C_BEGIN UINT32_MAX

/* With the CPU's instruction where there is one. */
uint32_t crc32c(uint32_t sum, const void *bytes, size_t count);

/* With a table; the same result on any CPU. */
uint32_t crc32c_table(uint32_t sum, const void *bytes, size_t count);

enum { RECORD_HEADER = 24, RECORD_CRC_AT = 20 };

/* Of a whole record: the bytes after its header, then the header up to its CRC field, so
 * that what is only known after reserving (the prev link) comes last. `length` is at least
 * RECORD_HEADER. */
static inline uint32_t crc32c_record(const uint8_t *record, size_t length)
{
    const uint32_t data = crc32c(CRC32C_BEGIN, record + RECORD_HEADER, length - RECORD_HEADER);

    return ~crc32c(data, record, RECORD_CRC_AT);
}

#endif
