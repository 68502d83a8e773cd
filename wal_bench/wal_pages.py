# SPDX-License-Identifier: MIT
"""The pages of a log: which are valid, and the bytes between their headers as one stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wal_bench.layout import LONG_HEADER, SHORT_HEADER, Layout, lsn_text
from wal_bench.wal_format import CONTINUES, FLAGS, LONG, PAGE_DTYPE, VERSIONS

_LONGER_BY = LONG_HEADER - SHORT_HEADER  # of a segment's first page


@dataclass(frozen=True)
class Fault:
    """Why the log ends somewhere."""

    reason: str  #: one line
    damaged: bool  #: not as any log ends


@dataclass(frozen=True)
class Pages:
    """Consecutive pages from the beginning of a segment. Indices are those of ``stream``."""

    layout: Layout
    headers: npt.NDArray[np.void]  #: PAGE_DTYPE
    base: int  #: bytepos of the stream's first byte
    stream: npt.NDArray[np.uint8]  #: without headers
    begins: npt.NDArray[np.uint64]  #: index of each page's first byte; the stream's end after them
    bad: npt.NDArray[np.intp]  #: numbers of the pages that are not valid; the end after them

    @property
    def continued(self) -> int:
        """Bytes at the beginning that belong to a record which began before; not aligned."""
        return int(self.headers["remaining"][0])

    def next_bad(self, index: int) -> int:
        """The number of the first page at or after ``index`` that is not valid.

        An index behind the stream, where a switch may lead, gives the end.
        """
        return int(self.bad[np.searchsorted(self.begins[self.bad[:-1]], np.uint64(index))])

    def empty(self, first: int, end: int) -> bool:
        """Whether there are only zeros between two indices, apart from valid page headers."""
        end = min(end, self.stream.size)
        pages = np.arange(*np.searchsorted(self.begins, [first, end]))
        raw = self.headers[pages].view(np.uint8).reshape(pages.size, LONG_HEADER)
        wrong = np.intersect1d(pages[raw[:, :SHORT_HEADER].any(axis=1)], self.bad)
        return not (self.stream[first:end].any() or wrong.size)

    def fault(self, page: int) -> Fault:
        """Of a page that is not valid."""
        if page == self.headers.size:
            return Fault("the file ends", False)
        header = self.headers[page]
        fields = {name: header[name] for name in PAGE_DTYPE.names or ()}
        fields["lsn"] = lsn_text(int(header["address"]))
        for wrong, reason, damaged in _tests(self.headers, self.layout):
            if wrong[page]:
                where = lsn_text(self.address(page))
                return Fault(f"page {where}: {reason.format(**fields)}", damaged)
        raise AssertionError(page)

    def address(self, page: int) -> int:
        """LSN of a page."""
        return int(self.headers["address"][0]) + page * self.layout.page_size


def first_header(data: bytes) -> tuple[Layout, npt.NDArray[np.void]]:
    """The layout that a log's first page states, and its header.

    Raises ValueError if there is no valid one.
    """
    if len(data) < LONG_HEADER:
        raise ValueError(f"{len(data)} bytes: no log begins with fewer than {LONG_HEADER}")
    header = np.frombuffer(data, PAGE_DTYPE, 1)
    if int(header["magic"][0]) not in VERSIONS:
        raise ValueError(f"magic number {header['magic'][0]:#06x}: no log of PostgreSQL 15 to 18")
    if not header["flags"][0] & LONG:
        raise ValueError("the first page is not the first of a segment")
    layout = Layout(int(header["page_size"][0]), int(header["segment_size"][0]))
    if header["address"][0] % layout.segment_size:
        raise ValueError(f"address {lsn_text(int(header['address'][0]))}: no segment begins there")
    return layout, header


def split(data: bytes) -> Pages:
    """Whole pages; a rest that is less than one is left out. Raises as first_header does."""
    layout, first = first_header(data)
    count = len(data) // layout.page_size
    if not count:
        raise ValueError(f"{len(data)} bytes: less than a page, which has {layout.page_size} here")
    raw = np.frombuffer(data, np.uint8, count * layout.page_size).reshape(count, -1)
    headers = np.ascontiguousarray(raw[:, :LONG_HEADER]).view(PAGE_DTYPE).reshape(-1)
    numbers = np.arange(count + 1, dtype=np.uint64)
    positions = layout.bytepos(first["address"][0] + numbers * np.uint64(layout.page_size))
    wrong = np.any([test[0] for test in _tests(headers, layout)], axis=0)
    in_segment = layout.segment_size // layout.page_size
    pages = Pages(
        layout=layout,
        headers=headers,
        base=int(positions[0]),
        stream=np.concatenate(
            [
                raw[page : page + in_segment, SHORT_HEADER:].reshape(-1)[_LONGER_BY:]
                for page in range(0, count, in_segment)
            ]
        ),
        begins=positions - positions[0],
        bad=np.append(np.flatnonzero(wrong), count),
    )
    if wrong[0]:
        raise ValueError(pages.fault(0).reason)
    return pages


def _tests(
    headers: npt.NDArray[np.void], layout: Layout
) -> list[tuple[npt.NDArray[np.bool_], str, bool]]:
    """Which pages fail what, the graver first; the text is filled from the page's header."""
    first = headers[0]
    numbers = np.arange(headers.size, dtype=np.uint64)
    owed = first["address"] + numbers * np.uint64(layout.page_size)
    leads = numbers % np.uint64(layout.segment_size // layout.page_size) == 0
    empty = (headers["magic"] == 0) & (headers["address"] == 0)
    other = np.any(
        [headers[name] != first[name] for name in ("system_id", "segment_size", "page_size")],
        axis=0,
    )
    goes_back = headers["timeline"] < np.maximum.accumulate(headers["timeline"])
    flags = headers["flags"]
    idle = (flags & CONTINUES == 0) != (headers["remaining"] == 0)
    return [
        (empty, "not written yet", False),
        (headers["magic"] != first["magic"], "magic number {magic:#06x}", True),
        (headers["address"] < owed, "recycled, holds what was at {lsn}", False),
        (headers["address"] > owed, "holds what belongs to {lsn}", True),
        (flags & ~np.uint16(FLAGS) != 0, "unknown flags {flags:#06x}", True),
        ((flags & LONG != 0) != leads, "flags {flags:#06x}, wrong for its place", True),
        (idle, "flags {flags:#06x} with {remaining} bytes to continue", True),
        (leads & other, "another system or other sizes", True),
        (goes_back, "timeline {timeline}, older than before", True),
    ]
