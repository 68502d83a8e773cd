# SPDX-License-Identifier: MIT
"""Positions in a write-ahead log: usable bytes (bytepos) to addresses (LSN) and back, in NumPy.

Pages begin with a header of 24 bytes, the first page of a segment with one of 40; a bytepos counts
the bytes between the headers, so that reserving is an addition. A page's first usable byte has two
LSNs: a record starts after the header, but the record before it ended at the page's beginning.
Source: PostgreSQL, src/include/access/xlog_internal.h and the comments on CurrBytePos in
src/backend/access/transam/xlog.c; docs/layout.md has the vectors.

Written apart from csrc/wal/layout.h, by other formulas: each is the oracle of the other
(wal_bench/native_layout.py has the C one).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.uint64]

SHORT_HEADER = 24
LONG_HEADER = 40
LAST_BYTEPOS = 1 << 62  #: with headers on pages of any size, its LSN still fits 64 bits

PAGE_SIZES = (512, 1 << 16)
LARGEST_SEGMENT = 1 << 30


@dataclass(frozen=True)
class Layout:
    """Sizes in bytes; ValueError where they cannot be those of a log."""

    page_size: int = 8192  #: a power of two, 512 to 65536
    segment_size: int = 16 << 20  #: a power of two, one page to 1 GiB

    def __post_init__(self) -> None:
        _check_size("page size", self.page_size, *PAGE_SIZES)
        _check_size("segment size", self.segment_size, self.page_size, LARGEST_SEGMENT)

    @property
    def usable_in_segment(self) -> int:
        """Bytes of a segment that are not headers."""
        later_pages = self.segment_size // self.page_size - 1
        return self.page_size - LONG_HEADER + later_pages * (self.page_size - SHORT_HEADER)

    def start_lsn(self, bytepos: npt.ArrayLike) -> Positions:
        """LSN of records that start at ``bytepos``, 0 to 2^62; any shape. Never in a header.

        Raises ValueError for a position out of range.
        """
        segment, rest = np.divmod(checked_bytepos(bytepos), np.uint64(self.usable_in_segment))
        first = np.uint64(self.page_size - LONG_HEADER)
        page, offset = np.divmod(
            rest - np.minimum(rest, first), np.uint64(self.page_size - SHORT_HEADER)
        )
        in_segment = np.where(
            rest < first,
            np.uint64(LONG_HEADER) + rest,
            (page + np.uint64(1)) * np.uint64(self.page_size) + np.uint64(SHORT_HEADER) + offset,
        )
        return segment * np.uint64(self.segment_size) + in_segment

    def end_lsn(self, bytepos: npt.ArrayLike) -> Positions:
        """LSN of records that end at ``bytepos``: the first byte after their last one.

        0, where no record has ended, gives 0. Raises as start_lsn does.
        """
        positions = checked_bytepos(bytepos)
        some = np.minimum(positions, np.uint64(1))
        return (self.start_lsn(positions - some) + np.uint64(1)) * some

    def bytepos(self, lsn: npt.ArrayLike) -> Positions:
        """The bytepos of starts or ends; a page's beginning counts as its first usable byte.

        Any 64-bit LSN, any shape. Raises ValueError for one inside a header, which is neither.
        """
        lsns = checked(lsn)
        segment, in_segment = np.divmod(lsns, np.uint64(self.segment_size))
        page, in_page = np.divmod(in_segment, np.uint64(self.page_size))
        header = np.where(page == 0, np.uint64(LONG_HEADER), np.uint64(SHORT_HEADER))
        refuse_first((in_page > 0) & (in_page < header), lsns)
        headers = (segment + np.uint64(1)) * np.uint64(LONG_HEADER) + (
            segment * np.uint64(self.segment_size // self.page_size - 1) + page
        ) * np.uint64(SHORT_HEADER)
        # An end has not passed the header of its page, which `headers` counts.
        return lsns + np.where(in_page == 0, header, np.uint64(0)) - headers


def lsn_text(lsn: int) -> str:
    """As PostgreSQL 15 writes it: ``0/1DC6C20``."""
    return f"{lsn >> 32:X}/{lsn & 0xFFFFFFFF:X}"


def checked(positions: npt.ArrayLike) -> Positions:
    """Whole numbers of 0 to 2^64 - 1 as uint64; ValueError or TypeError for anything else."""
    array = np.asarray(positions)
    if array.dtype.kind not in "iu":
        raise TypeError(f"positions are whole numbers that fit 64 bits, not {array.dtype}")
    if array.dtype.kind == "i" and array.size and array.min() < 0:
        raise ValueError(f"position {array.min()}: not negative")
    return array.astype(np.uint64)


def checked_bytepos(positions: npt.ArrayLike) -> Positions:
    """The same, of 0 to 2^62."""
    array = checked(positions)
    if array.size and array.max() > LAST_BYTEPOS:
        raise ValueError(f"bytepos {array.max()}: at most 2^62")
    return array


def refuse_first(wrong: npt.NDArray[np.bool_], lsns: Positions) -> None:
    """Raise ValueError that names the first LSN where ``wrong``."""
    if wrong.any():
        lsn = int(lsns[wrong][0])
        raise ValueError(f"LSN {lsn_text(lsn)}: inside a page header, neither a start nor an end")


def _check_size(what: str, size: int, least: int, most: int) -> None:
    if not least <= size <= most or size & (size - 1):
        raise ValueError(f"{what} {size}: a power of two from {least} to {most} is needed")
