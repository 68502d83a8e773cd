# SPDX-License-Identifier: MIT
"""Reads a write-ahead log back and checks it, independently of whoever wrote it.

Every page header is checked (magic, flags, address, timeline, continuation, in a segment's first
page system identifier and sizes), every record's length, prev link and CRC. Reading ends at the
first thing that is not valid. That may be the end of the log as any log has it (nothing written
yet, a recycled page of an older place, the end of the files) or damage; after a crash the last
record may be half written, which cannot be told from damage.

A log is read into memory, about three times its size. Positions are bytepos and LSN as
wal_bench.layout has them, sizes bytes. A record that crash recovery gave up, and marked so on
the page after it, ends the log here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wal_bench.crc32c import record_crcs
from wal_bench.errors import UsageError
from wal_bench.layout import LONG_HEADER, Layout, lsn_text
from wal_bench.sizes import LARGEST
from wal_bench.wal_format import RECORD_DTYPE, SWITCH, VERSIONS
from wal_bench.wal_pages import Fault, Pages, first_header, split

#: One record as read. A switch ends where its segment does.
READ_DTYPE = np.dtype(
    [
        ("start", "u8"),  # bytepos
        ("end", "u8"),  # bytepos, aligned
        ("start_lsn", "u8"),
        ("end_lsn", "u8"),
        ("prev_lsn", "u8"),
        ("length", "u4"),  # not aligned
        ("xid", "u4"),
        ("rmgr", "u1"),
        ("info", "u1"),
    ]
)

_HEADER = RECORD_DTYPE.itemsize

#: How many records are valid, and what ends the log after them.
_Limit = tuple[int, Fault]


@dataclass(frozen=True)
class Wal:
    """A log as read."""

    layout: Layout
    version: int  #: PostgreSQL's major version
    system_id: int
    records: npt.NDArray[np.void]  #: READ_DTYPE, in order, all valid
    end_lsn: int  #: where the valid log ends
    end: Fault  #: why there


def read_wal(paths: Sequence[Path]) -> Wal:
    """Read consecutive segment files, in order; only the last may be shorter than a segment.

    Raises UsageError for what cannot be read or does not begin as a log.
    """
    try:
        layout, _ = first_header(_read(paths[0], LONG_HEADER))
        parts = [_read(path, layout.segment_size + 1) for path in paths]
        for path, part in zip(paths, parts, strict=True):
            last = path is paths[-1]
            if len(part) > layout.segment_size or (len(part) < layout.segment_size and not last):
                raise UsageError(f"{path}: a segment has {layout.segment_size} bytes here")
        return parse_wal(b"".join(parts))
    except ValueError as error:
        raise UsageError(f"{paths[0]}: {error}") from None


def _read(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def parse_wal(data: bytes) -> Wal:
    """Read a log from memory: segments one after the other, the last one perhaps in part.

    Raises ValueError if it does not begin with the first page of a segment.
    """
    pages = split(data)
    walk = _walk(pages)
    records, crcs = _records(pages, walk)
    limits = [
        (records.size, walk.end),
        *_continuation(pages, records, walk),
        *_links(records),
        *_crcs(pages, records, crcs),
    ]
    valid, end = min(limits, key=lambda limit: (limit[0], not limit[1].damaged))
    last = int(records["end"][valid - 1]) if valid else pages.base + _aligned(pages.continued)
    first = pages.headers[0]
    return Wal(
        layout=pages.layout,
        version=VERSIONS[int(first["magic"])],
        system_id=int(first["system_id"]),
        records=records[:valid],
        end_lsn=int(pages.layout.end_lsn(last)),
        end=end,
    )


def _aligned(length: int) -> int:
    return length + 7 & ~7


@dataclass(frozen=True)
class _Walk:
    starts: list[int]  # of whole records, in the stream
    stop: int  # behind the last of them
    bad: int  # number of the page that bounds it
    end: Fault


def _walk(pages: Pages) -> _Walk:
    """From length to length.

    A loop in Python, as each start depends on the length before; all else is done on arrays.
    """
    words = pages.stream.data.cast("B").cast("I")  # starts are multiples of 8
    usable = pages.layout.usable_in_segment
    starts: list[int] = []
    at, bad = _aligned(pages.continued), pages.next_bad(0)
    while True:
        limit = int(pages.begins[bad])
        while at < limit:
            length = words[at >> 2]
            after = at + (length + 7 & ~7)
            if length <= _HEADER or after > limit:
                break
            starts.append(at)
            at = after
        if not _is_switch(pages, at, limit):
            return _Walk(starts, at, bad, _stop(pages, at, bad))
        starts.append(at)
        # Of the segment that it ends in, if its header crosses into one.
        rest = at + _HEADER
        at = -(-rest // usable) * usable
        bad = pages.next_bad(at)
        if not pages.empty(rest, at):
            end = Fault("more than zeros between a switch and the end of its segment", True)
            return _Walk(starts, at, bad, end)


def _is_switch(pages: Pages, at: int, limit: int) -> bool:
    """Whether a record there is a mere header that gives up the rest of its segment."""
    if at + _HEADER > limit:
        return False
    header = pages.stream[at : at + _HEADER].view(RECORD_DTYPE)[0]
    kind = (int(header["rmgr"]), int(header["info"]) & 0xF0)
    return int(header["length"]) == _HEADER and kind == SWITCH


def _stop(pages: Pages, at: int, bad: int) -> Fault:
    """Why no whole record is at ``at``, where page ``bad`` is the next that is not valid."""
    fault = pages.fault(bad)
    if at >= pages.begins[bad]:
        return fault
    length = int(pages.stream[at : at + 4].view("<u4")[0])
    if length == 0:
        return Fault("nothing is written after it", False)
    if not _HEADER < length <= LARGEST:
        return Fault(f"a record length of {length}", True)
    return Fault(f"a record of {length} bytes is cut: {fault.reason}", fault.damaged)


def _records(pages: Pages, walk: _Walk) -> tuple[npt.NDArray[np.void], npt.NDArray[np.uint32]]:
    """READ_DTYPE, and what the CRC fields say."""
    at = np.array([*walk.starts, walk.stop], np.uint64)
    raw = pages.stream[at[:-1, None] + np.arange(_HEADER, dtype=np.uint64)]
    headers = raw.view(RECORD_DTYPE).reshape(-1)
    records = np.empty(len(walk.starts), READ_DTYPE)
    positions = at + np.uint64(pages.base)
    records["start"], records["end"] = positions[:-1], positions[1:]
    records["start_lsn"] = pages.layout.start_lsn(positions[:-1])
    records["end_lsn"] = pages.layout.end_lsn(positions[1:])
    records["prev_lsn"] = headers["prev"]
    for name in ("length", "xid", "rmgr", "info"):
        records[name] = headers[name]
    return records, headers["crc"]


def _continuation(pages: Pages, records: npt.NDArray[np.void], walk: _Walk) -> list[_Limit]:
    """What each page says of a record from the page before, against where records lie."""
    starts = records["start"] - np.uint64(pages.base)
    lengths = records["length"].astype(np.uint64)
    if walk.stop < pages.begins[walk.bad]:  # a record that is cut counts: a wrong length shows here
        cut = pages.stream[walk.stop : walk.stop + 4].view("<u4")
        starts, lengths = np.append(starts, np.uint64(walk.stop)), np.append(lengths, cut)
    begins = pages.begins[1 : walk.bad]
    over = np.searchsorted(starts, begins)  # records that start before the page
    reach = np.concatenate(([np.uint64(pages.continued)], starts + lengths))[over]
    owed = np.where(reach > begins, reach - begins, np.uint64(0))
    said = pages.headers["remaining"][1 : walk.bad]
    wrong = np.flatnonzero(said != owed)
    if not wrong.size:
        return []
    page = int(wrong[0])
    where = lsn_text(pages.address(page + 1))
    text = f"page {where}: says {said[page]} bytes continue a record, {owed[page]} do"
    valid = max(int(over[page]) - int(owed[page] > 0), 0)
    return [(min(valid, records.size), Fault(text, True))]


def _links(records: npt.NDArray[np.void]) -> list[_Limit]:
    """Each prev link is the start of the record before; the first one only lies before it."""
    wrong = np.flatnonzero(records["prev_lsn"][1:] != records["start_lsn"][:-1]) + 1
    if records.size and records["prev_lsn"][0] >= records["start_lsn"][0]:
        wrong = np.append(0, wrong)
    if not wrong.size:
        return []
    at = int(wrong[0])
    start, prev = (lsn_text(int(records[name][at])) for name in ("start_lsn", "prev_lsn"))
    owed = f"the record before is at {lsn_text(int(records['start_lsn'][at - 1]))}"
    text = f"record {start}: prev link {prev}, {owed if at else 'not before it'}"
    return [(at, Fault(text, True))]


def _crcs(
    pages: Pages, records: npt.NDArray[np.void], crcs: npt.NDArray[np.uint32]
) -> list[_Limit]:
    owed = record_crcs(
        pages.stream,
        records["start"] - np.uint64(pages.base),
        np.ascontiguousarray(records["length"]),
    )
    wrong = np.flatnonzero(crcs != owed)
    if not wrong.size:
        return []
    at = int(wrong[0])
    start = lsn_text(int(records["start_lsn"][at]))
    return [(at, Fault(f"record {start}: CRC {crcs[at]:08X}, its bytes have {owed[at]:08X}", True))]
