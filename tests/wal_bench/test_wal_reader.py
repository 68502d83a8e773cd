# SPDX-License-Identifier: MIT
"""The reader on real segments (tests/data/wal): against pg_waldump's listing, and damaged."""

from __future__ import annotations

import csv
import functools
import lzma
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from wal_bench.errors import UsageError
from wal_bench.layout import Layout, lsn_text
from wal_bench.native_layout import NativeLayout
from wal_bench.wal_format import rmgr_name
from wal_bench.wal_reader import Wal, parse_wal, read_wal

DATA = Path(__file__).parents[1] / "data" / "wal"
NAMES = [f"00000001000000000000001{digit}" for digit in "CDE"]
PAGE, SEGMENT = 8192, 1 << 20
BASE = 0x1C00000
SWITCH = 0x1DC6C20


@functools.cache
def log() -> bytes:
    return b"".join(lzma.decompress((DATA / f"{name}.xz").read_bytes()) for name in NAMES)


@functools.cache
def whole() -> Wal:
    return parse_wal(log())


def changed(at: int, new: bytes) -> Wal:
    """The log with other bytes at an LSN."""
    data = bytearray(log())
    data[at - BASE : at - BASE + len(new)] = new
    return parse_wal(bytes(data))


def same_until(found: Wal, count: int) -> None:
    """The first ``count`` records and no others, and the log ends with the last of them."""
    np.testing.assert_array_equal(found.records, whole().records[:count])
    if count:
        assert found.end_lsn == found.records["end_lsn"][-1]


def record_at(lsn: int) -> int:
    """The number of the record that has the byte, or whose padding or switched-off rest has."""
    return int(np.searchsorted(whole().records["start_lsn"], lsn, "right")) - 1


def test_records_are_those_that_pg_waldump_lists() -> None:
    with lzma.open(DATA / "records.csv.xz", "rt") as file:
        listed = list(csv.DictReader(file))
    assert len(listed) == 5394
    for row, record in zip(listed, whole().records, strict=True):
        assert [row["lsn"], row["prev"]] == [
            f"{lsn >> 32:X}/{lsn & 0xFFFFFFFF:08X}"
            for lsn in (int(record["start_lsn"]), int(record["prev_lsn"]))
        ]
        assert int(row["total_length"]) == record["length"]
        assert int(row["xid"]) == record["xid"]
        assert row["rmgr"] == rmgr_name(int(record["rmgr"]))
    assert whole().version == 15
    assert not whole().end.damaged
    assert "is cut: the file ends" in whole().end.reason


@pytest.mark.parametrize("kind", [Layout, NativeLayout])
def test_positions_tile_the_log_and_links_name_the_record_before(kind: Any) -> None:
    layout, records = kind(PAGE, SEGMENT), whole().records
    np.testing.assert_array_equal(records["end"][:-1], records["start"][1:])
    np.testing.assert_array_equal(layout.bytepos(records["prev_lsn"])[1:], records["start"][:-1])
    np.testing.assert_array_equal(layout.start_lsn(records["start"]), records["start_lsn"])
    np.testing.assert_array_equal(layout.end_lsn(records["end"]), records["end_lsn"])
    sizes = records["end"] - records["start"]
    switch = records["start_lsn"] == SWITCH
    np.testing.assert_array_equal(sizes[~switch], (records["length"][~switch] + 7) // 8 * 8)
    assert records["end_lsn"][switch].tolist() == [0x1E00000]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_segment_alone_has_the_records_that_lie_in_it_whole(number: int) -> None:
    begin, end = BASE + number * SEGMENT, BASE + (number + 1) * SEGMENT
    found = parse_wal(log()[number * SEGMENT :][:SEGMENT]).records
    every = whole().records
    inside = (every["start_lsn"] >= begin) & (every["end_lsn"] <= end)
    np.testing.assert_array_equal(found, every[inside])


@given(st.integers(PAGE, 3 * SEGMENT))
@example(SWITCH - BASE + PAGE)
@example(0x1DC6000 - BASE)  # in a record of three pages
def test_a_log_cut_anywhere_has_the_whole_records_of_its_whole_pages(size: int) -> None:
    found = parse_wal(log()[:size])
    end = whole().records["end_lsn"]
    switched = (end == 0x1E00000) & (BASE + size // PAGE * PAGE >= SWITCH + 24)
    same_until(found, int(np.count_nonzero((end <= BASE + size // PAGE * PAGE) | switched)))
    assert not found.end.damaged


@given(st.integers(BASE + 40, BASE + 3 * SEGMENT - 1), st.integers(1, 255))
def test_no_changed_byte_of_a_record_passes(at: int, bits: int) -> None:
    number = record_at(at)
    assume(at % PAGE >= 24 and number >= 0 and at != SWITCH + 16)
    record = whole().records[number]
    used = int(Layout(PAGE, SEGMENT).bytepos(at) - record["start"]) if at % SEGMENT >= 40 else -1
    assume(0 <= used < record["length"])
    if at < whole().end_lsn:
        same_until(changed(at, bytes([log()[at - BASE] ^ bits])), number)


@pytest.mark.parametrize(
    ("offset", "new", "reason"),
    [
        (0, struct.pack("<H", 0xD10F), "magic number 0xd10f"),
        (2, struct.pack("<H", 0x11), "unknown flags"),
        (2, struct.pack("<H", 2), "wrong for its place"),
        (2, struct.pack("<H", 0), "bytes to continue"),
        (4, struct.pack("<I", 0), "older than before"),
        (8, struct.pack("<Q", BASE + 4 * SEGMENT), "holds what belongs to 0/2000000"),
        (16, struct.pack("<I", 8), "says 8 bytes continue a record"),
    ],
)
def test_a_wrong_page_header_ends_the_log_with_the_last_record_before(
    offset: int, new: bytes, reason: str
) -> None:
    page = next(
        lsn
        for lsn in range(BASE + PAGE, BASE + SEGMENT, PAGE)
        if whole().records["end_lsn"][record_at(lsn)] > lsn + 8
    )
    found = changed(page + offset, new)
    assert reason in found.end.reason
    assert lsn_text(page) in found.end.reason
    assert found.end.damaged
    same_until(found, record_at(page))


@pytest.mark.parametrize(("offset", "size"), [(24, 8), (32, 4), (36, 4)])
def test_a_segment_of_another_system_ends_the_log(offset: int, size: int) -> None:
    found = changed(BASE + SEGMENT + offset, b"\1" * size)
    assert "another system" in found.end.reason
    assert found.records["end_lsn"][-1] <= BASE + SEGMENT


def test_a_page_that_claims_a_record_which_is_none() -> None:
    found = changed(BASE + 2 * SEGMENT + 2, struct.pack("<H", 7))
    assert found.end.damaged
    found = changed(BASE + 2 * SEGMENT + 16, struct.pack("<I", 48))
    assert found.end.damaged
    data = bytearray(log())
    data[2 * SEGMENT + 2] = 7
    data[2 * SEGMENT + 16] = 48
    found = parse_wal(bytes(data))
    assert found.end.reason == "page 0/1E00000: says 48 bytes continue a record, 0 do"
    same_until(found, record_at(SWITCH) + 1)


def test_pages_not_written_and_recycled_pages_are_the_end_of_a_log() -> None:
    page = BASE + 20 * PAGE
    older = log()[10 * PAGE : 11 * PAGE]
    for content, reason in ((bytes(PAGE), "not written yet"), (older, "recycled")):
        found = changed(page, content)
        assert reason in found.end.reason
        assert not found.end.damaged
        same_until(found, int(np.count_nonzero(whole().records["end_lsn"] <= page)))


def test_zeros_after_a_record_are_the_end_of_a_log_unless_it_goes_on_after_them() -> None:
    start = int(whole().records["start_lsn"][1000])
    assert start // PAGE < int(whole().records["end_lsn"][1000 + 50]) // PAGE
    found = changed(start, bytes(-start % PAGE + PAGE))
    assert (found.end.reason, found.end.damaged) == ("nothing is written after it", False)
    same_until(found, 1000)
    found = changed(start, bytes(-start % PAGE))
    assert "bytes continue a record, 0 do" in found.end.reason
    assert found.end.damaged
    same_until(found, 1000)


def test_a_record_well_formed_but_linked_to_another_is_damage() -> None:
    """What a reservation that hands out wrong prev links leaves: no CRC can see it."""
    record = whole().records[1000]
    start, length = int(record["start_lsn"]), int(record["length"])
    assert start % PAGE + length < PAGE
    body = bytearray(log()[start - BASE :][:length])
    body[8:16] = struct.pack("<Q", int(whole().records["start_lsn"][998]))
    body[20:24] = struct.pack("<I", castagnoli(bytes(body[24:] + body[:20])))
    found = changed(start, bytes(body))
    assert "prev link" in found.end.reason
    assert found.end.damaged
    same_until(found, 1000)
    body[8:16] = struct.pack("<Q", int(record["prev_lsn"]))
    body[20:24] = struct.pack("<I", castagnoli(bytes(body[24:] + body[:20])))
    same_until(changed(start, bytes(body)), whole().records.size)  # the CRC made here is right


def castagnoli(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def test_a_wrong_length_whose_end_nobody_sees_contradicts_the_pages_after() -> None:
    found = changed(int(whole().records["start_lsn"][1000]), struct.pack("<I", 100 << 20))
    assert "bytes continue a record" in found.end.reason
    assert found.end.damaged
    same_until(found, 1000)


@pytest.mark.parametrize("length", [1, 23, 24, 0xFFFFFFFF])
def test_a_length_that_no_record_has(length: int) -> None:
    last = whole().records.size - 1
    found = changed(int(whole().records["start_lsn"][last]), struct.pack("<I", length))
    assert found.end.damaged
    same_until(found, last)


@pytest.mark.parametrize("at", [SWITCH + 24, 0x1DF0000, 0x1DF0100, 0x1DFFFFF])
def test_the_rest_of_a_switched_segment_is_zero(at: int) -> None:
    found = changed(at, b"\1")
    assert "between a switch and the end of its segment" in found.end.reason
    assert found.end.damaged
    same_until(found, record_at(SWITCH) + 1)


def test_pages_with_headers_after_a_switch_are_as_good_as_zeros() -> None:
    header = bytearray(log()[PAGE : PAGE + 24])
    header[2:4], header[8:16], header[16:20] = bytes(2), struct.pack("<Q", 0x1DF0000), bytes(4)
    same_until(changed(0x1DF0000, bytes(header)), whole().records.size)


def test_a_first_record_that_does_not_end_here() -> None:
    """Its rest fills the file, or ends behind a page that is not valid."""
    data = bytearray(log()[: 3 * PAGE])
    data[16:20] = struct.pack("<I", 4 * PAGE)
    assert parse_wal(bytes(data)).records.size == 0
    data[PAGE : 2 * PAGE] = bytes(PAGE)
    data[16:20] = struct.pack("<I", PAGE + 100)
    found = parse_wal(bytes(data))
    assert found.records.size == 0
    assert "not written yet" in found.end.reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "0 bytes"),
        (bytes(PAGE), "magic number 0x0000"),
        (log()[:100], "less than a page"),
        (log()[PAGE:], "not the first of a segment"),
        (log()[:32] + struct.pack("<II", 3 << 20, PAGE) + log()[40:PAGE], "segment size 3145728"),
        (log()[:8] + struct.pack("<Q", PAGE) + log()[16:PAGE], "no segment begins there"),
        (log()[:2] + struct.pack("<H", 2) + log()[4:PAGE], "bytes to continue"),
    ],
)
def test_what_is_no_log_is_refused(data: bytes, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_wal(data)
    file = tmp_path / "file"
    file.write_bytes(data)
    with pytest.raises(UsageError, match=f"^{file}: .*{reason}"):
        read_wal([file])


def test_files_are_read_in_order(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in NAMES]
    for number, path in enumerate(paths):
        path.write_bytes(log()[number * SEGMENT :][:SEGMENT])
    np.testing.assert_array_equal(read_wal(paths).records, whole().records)
    assert "holds what belongs to 0/1E00000" in read_wal([paths[0], paths[2]]).end.reason
    paths[0].write_bytes(log()[:PAGE])
    with pytest.raises(UsageError, match="1C: a segment has 1048576 bytes"):
        read_wal(paths)
    with pytest.raises(UsageError, match="nowhere: No such file"):
        read_wal([tmp_path / "nowhere"])
