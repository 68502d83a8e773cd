# SPDX-License-Identifier: MIT
"""Record sizes: distributions of lengths that a real PostgreSQL wrote, or the user's own.

A distribution is a CSV file with the header ``total_length,count``: lengths in bytes as
PostgreSQL's ``xl_tot_len`` (before alignment), and how often each occurred. A record is longer
than its header of 24 bytes and at most 1020 MiB (PostgreSQL's XLogRecordMaxSize). The shipped
ones come from PostgreSQL 15 under pgbench (``tpcb``) and a TPC-C mix (``tpcc``), in steady state
and, ``-checkpoint``, right after a checkpoint with full-page images.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wal_bench.errors import UsageError

ALIGNMENT = 8
SMALLEST = 25  #: one byte more than the record header
LARGEST = 1020 << 20

_LARGEST_FILE = 64 << 20  #: characters; a histogram of all lengths there are needs less

_DATA = resources.files("wal_bench") / "data"
_PREFIX = "wal-sizes-"


@dataclass(frozen=True)
class Sizes:
    """A distribution of record lengths."""

    name: str  #: as asked for: "tpcc", "fixed:64", "file:PATH"
    lengths: npt.NDArray[np.uint32]  #: distinct lengths in bytes, unaligned, ascending
    counts: npt.NDArray[np.uint64]  #: how often each occurred; same shape

    @property
    def aligned(self) -> npt.NDArray[np.uint32]:
        """The lengths rounded up to 8 bytes: what a reservation asks for."""
        return (self.lengths + np.uint32(ALIGNMENT - 1)) & ~np.uint32(ALIGNMENT - 1)

    @property
    def aligned_mean(self) -> float:
        """Mean aligned length in bytes."""
        return float(np.average(self.aligned.astype(float), weights=self.counts.astype(float)))

    def table(self, n: int, rng: np.random.Generator) -> npt.NDArray[np.uint32]:
        """``n`` aligned lengths drawn from the distribution, shuffled; shape (n,), uint32.

        The draw is stratified, one from each n-th of the distribution, so that even a short
        table has nearly the right mean.
        """
        quantiles = (np.arange(n) + rng.random(n)) / n
        upper = np.cumsum(self.counts.astype(float)) / float(self.counts.sum())
        drawn = self.aligned[np.minimum(np.searchsorted(upper, quantiles), upper.size - 1)]
        return rng.permutation(drawn)


def names() -> tuple[str, ...]:
    """The shipped distributions."""
    files = (entry.name for entry in _DATA.iterdir())
    return tuple(sorted(f[len(_PREFIX) : -4] for f in files if f.startswith(_PREFIX)))


def parse_sizes(text: str) -> Sizes:
    """``tpcc``, ``tpcb`` (or another shipped name), ``fixed:BYTES`` or ``file:PATH``.

    Raises UsageError that names what is wrong; in a file with path and line.
    """
    if text.startswith("file:"):
        return _read(text, Path(text[len("file:") :]))
    if text.startswith("fixed:"):
        return _fixed(text)
    if text in names():
        content = (_DATA / f"{_PREFIX}{text}.csv").read_text(encoding="utf-8")
        return _parse(text, text, content)
    near = difflib.get_close_matches(text, names(), n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(names())},"
    raise UsageError(f"sizes {text!r}: no such distribution; {hint} fixed:BYTES or file:PATH")


def _fixed(text: str) -> Sizes:
    digits = text[len("fixed:") :]
    if not (digits.isascii() and digits.isdigit()):
        raise UsageError(f"sizes {text!r}: fixed: takes a whole number of bytes, as in fixed:64")
    _check_length(f"sizes {text!r}", int(digits))
    return Sizes(text, np.array([int(digits)], np.uint32), np.array([1], np.uint64))


def _check_length(where: str, length: int) -> None:
    if not SMALLEST <= length <= LARGEST:
        raise UsageError(
            f"{where}: length {length} is out of range; a record has {SMALLEST} to {LARGEST} bytes "
            "(its header alone is 24)"
        )


def _read(name: str, path: Path) -> Sizes:
    try:
        with path.open(encoding="utf-8-sig") as file:  # may be a pipe: its size is not known
            content = file.read(_LARGEST_FILE + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise UsageError(f"sizes file {path}: {reason}") from None
    if len(content) > _LARGEST_FILE:
        raise UsageError(f"sizes file {path}: longer than {_LARGEST_FILE >> 20} MiB")
    return _parse(name, str(path), content)


def _parse(name: str, where: str, content: str) -> Sizes:
    lines = content.splitlines()
    if not any(line.strip() for line in lines):
        raise UsageError(f"sizes file {where}: empty; the first line is total_length,count")
    if [word.strip() for word in lines[0].split(",")] != ["total_length", "count"]:
        raise UsageError(f"{where}:1: {lines[0]!r}: the first line must be total_length,count")
    total: dict[int, int] = {}
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            length, count = _row(f"{where}:{number}", line)
            total[length] = total.get(length, 0) + count  # a histogram may be in parts
    if not sum(total.values()):
        raise UsageError(f"sizes file {where}: no record is counted")
    if sum(total.values()) >= 1 << 53:
        raise UsageError(f"sizes file {where}: {sum(total.values())} records; fewer than 2^53")
    kept = sorted(length for length, count in total.items() if count)
    counts = np.array([total[length] for length in kept], np.uint64)
    return Sizes(name, np.array(kept, np.uint32), counts)


def _row(where: str, line: str) -> tuple[int, int]:
    words = [word.strip() for word in line.split(",")]
    if len(words) != 2 or not all(word.isascii() and word.isdigit() for word in words):
        raise UsageError(f"{where}: {line!r}: two whole numbers are needed, total_length,count")
    length, count = int(words[0]), int(words[1])
    _check_length(where, length)
    return length, count
