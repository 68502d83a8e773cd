/* SPDX-License-Identifier: MIT */
/* wal_test.c: known positions and checksums, on the CPU that the program runs on. The laws
 * of the layout are tests/wal_bench/test_layout.py. */
#include "check.h"
#include "wal/crc32c.h"
#include "wal/layout.h"

#include <inttypes.h>
#include <string.h>

static void test_positions(void)
{
    static const struct {
        uint64_t bytepos, start, end;
    } known[] = {
        {0, 0x28, 0},
        {8144, 0x1ff8, 0x1ff8},
        {8152, 0x2018, 0x2000},
        {16312, 0x3ff8, 0x3ff8},
        {16320, 0x4018, 0x4000},
        {16728040, 0xfffff8, 0xfffff8},
        {16728048, 0x1000028, 0x1000000},
        {33456096, 0x2000028, 0x2000000},
    };
    const dwcas_layout layout = layout_of(8192, 16 << 20);

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const uint64_t bytepos = known[i].bytepos;

        CHECK(layout_start_lsn(&layout, bytepos) == known[i].start, "%" PRIu64, bytepos);
        CHECK(layout_end_lsn(&layout, bytepos) == known[i].end, "%" PRIu64, bytepos);
        CHECK(layout_bytepos(&layout, known[i].start) == bytepos, "%" PRIu64, bytepos);
        CHECK(layout_bytepos(&layout, known[i].end) == bytepos, "%" PRIu64, bytepos);
    }
    CHECK(layout_inside_header(&layout, 0x27) && !layout_inside_header(&layout, 0x28), "long");
    CHECK(layout_inside_header(&layout, 0x2017) && !layout_inside_header(&layout, 0x2018),
          "short");
    CHECK(!layout_inside_header(&layout, 0x2000), "an end");
}

/* The definition, bit by bit. */
static uint32_t divided(uint32_t sum, const uint8_t *bytes, size_t count)
{
    for (size_t bit = 0; bit < 8 * count; bit++) {
        const uint32_t low = (sum ^ bytes[bit / 8] >> bit % 8) & 1;

        sum = sum >> 1 ^ (low ? 0x82f63b78u : 0);
    }
    return sum;
}

static void test_crc32c(void)
{
    static uint8_t bytes[300];

    CHECK(~crc32c(CRC32C_BEGIN, "123456789", 9) == 0xe3069283u, "the check value");
    CHECK(~crc32c(CRC32C_BEGIN, bytes, 32) == 0x8a9136aau, "RFC 3720 B.4, zeros");
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 167 >> 3 ^ i);
    for (size_t from = 0; from < 9; from++)
        for (size_t count = 0; from + count <= sizeof bytes; count++) {
            const uint32_t begin = (uint32_t)(from * 0x9e3779b9u + count);
            const uint32_t wanted = divided(begin, bytes + from, count);

            CHECK(crc32c(begin, bytes + from, count) == wanted, "%zu from %zu", count, from);
            CHECK(crc32c_table(begin, bytes + from, count) == wanted, "%zu from %zu", count, from);
        }
}

/* At every split: data first, then the header without its CRC field. */
static void test_record_crc(void)
{
    uint8_t record[64], joined[60];

    for (size_t length = RECORD_HEADER; length <= sizeof record; length++) {
        const size_t data = length - RECORD_HEADER;

        for (size_t i = 0; i < length; i++)
            record[i] = (uint8_t)(31 * i + length);
        memcpy(joined, record + RECORD_HEADER, data);
        memcpy(joined + data, record, RECORD_CRC_AT);
        CHECK(crc32c_record(record, length) == ~divided(UINT32_MAX, joined, data + RECORD_CRC_AT),
              "%zu", length);
    }
}

int main(void)
{
    test_positions();
    test_crc32c();
    test_record_crc();
    return check_report();
}
