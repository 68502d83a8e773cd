/* SPDX-License-Identifier: MIT */
/* wal/record.h: a record in memory, made in two steps as in PostgreSQL: its body and the sum
 * over that before the reservation, its link and the sum's end after it. */
#ifndef DWCAS_WAL_RECORD_H
#define DWCAS_WAL_RECORD_H

#include "wal/format.h"

/* All but the prev link and its part of the CRC, which only the reservation tells. */
static inline uint32_t record_make(unsigned char *record, uint32_t length, uint32_t xid,
                                   uint64_t count)
{
    const uint32_t begins = record_data_begins(length);
    const struct record_header header = {
        .length = length, .xid = xid, .info = XLOG_NOOP, .rmgr = RMGR_XLOG};

    memcpy(record, &header, sizeof header);
    record_write_data_header(record, length);
    /* No two records are alike, so that one in the place of another shows. */
    memcpy(record + begins, &count,
           length - begins < sizeof count ? length - begins : sizeof count);
    return crc32c(CRC32C_BEGIN, record + RECORD_HEADER, length - RECORD_HEADER);
}

static inline void record_link(unsigned char *record, uint64_t prev, uint32_t body_sum)
{
    uint32_t sum;

    memcpy(record + offsetof(struct record_header, prev), &prev, sizeof prev);
    sum = ~crc32c(body_sum, record, RECORD_CRC_AT);
    memcpy(record + RECORD_CRC_AT, &sum, sizeof sum);
}

#endif
