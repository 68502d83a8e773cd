/* SPDX-License-Identifier: MIT */
/* wal/format.h: headers of pages and records as PostgreSQL 15 to 18 has them, little-endian.
 *
 * Source: PostgreSQL 15, xlog_internal.h (XLogPageHeaderData, XLogLongPageHeaderData),
 * xlogrecord.h (XLogRecord, XLR_BLOCK_ID_DATA_*), pg_control.h (XLOG_NOOP, XLOG_SWITCH). */
#ifndef DWCAS_WAL_FORMAT_H
#define DWCAS_WAL_FORMAT_H

#include "wal/crc32c.h"
#include "wal/layout.h"

#include <string.h>

enum { PAGE_CONTINUES = 1, PAGE_LONG = 2, TIMELINE = 1 };

struct page_header {
    uint16_t magic;
    uint16_t flags;
    uint32_t timeline;
    uint64_t address;   /* LSN */
    uint32_t remaining; /* bytes of the record that the page goes on with */
    uint32_t padding;
};

struct long_page_header {
    struct page_header header;
    uint64_t system_id;
    uint32_t segment_size;
    uint32_t page_size;
};

_Static_assert(sizeof(struct page_header) == LAYOUT_SHORT_HEADER, "as on disk");
_Static_assert(sizeof(struct long_page_header) == LAYOUT_LONG_HEADER, "as on disk");

enum { RMGR_XLOG = 0, XLOG_NOOP = 0x20, XLOG_SWITCH = 0x40 };

struct record_header {
    uint32_t length; /* of all, not aligned */
    uint32_t xid;
    uint64_t prev; /* LSN */
    uint8_t info;
    uint8_t rmgr;
    uint16_t padding;
    uint32_t crc;
};

_Static_assert(sizeof(struct record_header) == RECORD_HEADER, "as on disk");
_Static_assert(offsetof(struct record_header, crc) == RECORD_CRC_AT, "as on disk");

enum { DATA_SHORT = 255, DATA_LONG = 254 };

/* Behind its header a record says how long its data are: in one byte, or in four. */
static inline uint32_t record_data_begins(uint32_t length)
{
    return length - RECORD_HEADER - 2 <= UINT8_MAX ? RECORD_HEADER + 2 : RECORD_HEADER + 5;
}

static inline void record_write_data_header(unsigned char *record, uint32_t length)
{
    const uint32_t data = length - record_data_begins(length);

    if (record_data_begins(length) == RECORD_HEADER + 2) {
        record[RECORD_HEADER] = DATA_SHORT;
        record[RECORD_HEADER + 1] = (unsigned char)data;
    } else {
        record[RECORD_HEADER] = DATA_LONG;
        memcpy(record + RECORD_HEADER + 1, &data, sizeof data);
    }
}

#endif
