# SPDX-License-Identifier: MIT
"""The whole insertion of a record, of which the reservation is one part: what to do, what it did.

gate -> reserve -> copy into ring pages -> publish -> flush. csrc/include/dwcas/insert.h says what
each part does. Positions are bytepos, sizes bytes, times ns.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from atomics._native import ffi, lib
from wal_bench import names
from wal_bench.errors import EnvironmentUnfit, UsageError
from wal_bench.layout import Layout
from wal_bench.wal_format import VERSIONS

STOCK_GATES = 8  #: PostgreSQL's NUM_XLOGINSERT_LOCKS
MOST_GATES = lib.DWCAS_MOST_GATES
SMALLEST_RECORD = lib.DWCAS_SMALLEST_RECORD  #: bytes; a header of 24 and some
_MOST_RECORD_MEMORY = 4 << 30  #: bytes for the record that each thread is at


@dataclass(frozen=True)
class Publisher:
    """One row of the C registry: a way to publish."""

    name: str
    summary: str
    source: str  #: where it comes from
    broken: bool  #: wrong on purpose: the oracle must catch it
    native: Any = field(repr=False, compare=False, default=None)


@dataclass(frozen=True)
class Disturbance:
    """What befalls one insertion. ``point``: a name of ``points``."""

    point: str
    nth: int = 1  #: at which passage of any thread
    suspend_ns: int = 0  #: its thread sleeps so long; 0: SIGKILL to the whole process


@dataclass(frozen=True)
class InsertPlan:
    """How records are inserted. The defaults are stock PostgreSQL without a flush."""

    layout: Layout = field(default_factory=Layout)
    publish: str = "inserting-at"  #: a name of ``publishers``
    gates: int = STOCK_GATES  #: 0: none; else a power of two up to 128
    copy: bool = True  #: False: nothing is copied, and nothing can be flushed
    ring_pages: int = 512  #: a power of two, at least 2
    commit_every: int = 0  #: each thread waits for the flush of every so many'th record; 0: never
    switch_every: int = 0  #: thread 0 makes every so many'th insertion a segment switch; 0: never
    directory: Path | None = None  #: existing, for segment files; None: no flush
    sync: bool = False  #: fdatasync what is written; False: flushed means written
    keep_segments: int = 0  #: older segment files are reused; 0: all stay
    version: int = 15  #: PostgreSQL's, in the pages; what we write is alike in 15 to 18
    system_id: int = 7_000_000_000_000_000_000  #: in the first page of each segment
    disturbance: Disturbance | None = None
    early: bool = False  #: wrong on purpose: commits are acknowledged, nothing is flushed for them


@dataclass(frozen=True)
class InsertResult:
    """What insertions did, over the whole run and all threads."""

    watermark: int  #: bytepos at the end; the tip if all insertions came to their end
    written: int  #: end of the log in the files, bytepos; where it began without files
    lag_samples: int  #: watermark lag: own end - watermark, once in 1024 insertions
    lag_sum: int  #: bytes
    lag_max: int
    gate_waits: int  #: insertions that found their gate taken
    page_waits: int  #: that had to wait for a page of the ring
    commits: int  #: insertions that waited for their flush
    commit_wait_ns: int  #: sum
    flushes: int  #: times that the log was written for commits, and synced if asked for
    switches: int  #: segment switches; at a segment's very beginning there is none
    switch_bytes: int  #: usable bytes that switches took beyond the sizes asked for; modulo 2^64


@functools.cache
def publishers() -> tuple[Publisher, ...]:
    """All ways to publish, wrong-on-purpose ones included, in the registry's order."""
    found: list[Publisher] = []
    while (row := lib.dwcas_publish_at(len(found))) != ffi.NULL:
        name, summary, source = (
            ffi.string(text).decode() for text in (row.name, row.summary, row.source)
        )
        found.append(Publisher(name, summary, source, bool(row.broken), row))
    return tuple(found)


def publisher(name: str) -> Publisher:
    """The row of that name. Raises UsageError with the nearest name."""
    rows = {row.name: row for row in publishers()}
    right = ", ".join(row.name for row in rows.values() if not row.broken)
    return names.row("way to publish", name, rows, f"there are {right}")


@functools.cache
def points() -> tuple[str, ...]:
    """Where an insertion can be disturbed, in its order."""
    return tuple(
        ffi.string(lib.dwcas_insert_point_name(point)).decode()
        for point in range(1, lib.DWCAS_INSERT_POINTS)
    )


def _require(condition: bool, text: str) -> None:
    if not condition:
        raise UsageError(text)


def check(
    plan: InsertPlan, sizes: npt.NDArray[np.uint32], threads: int, start_tip: int, links: bool
) -> None:
    """Raise UsageError for an insertion that makes no sense. ``links``: as the method has them."""
    gates, ring = plan.gates, plan.ring_pages
    publisher(plan.publish)
    _require(
        gates == 0 or (0 < gates <= MOST_GATES and gates & (gates - 1) == 0),
        f"gates {gates}: none (0) or a power of two up to {MOST_GATES}",
    )
    _require(
        ring >= 2 and ring & (ring - 1) == 0, f"ring of {ring} pages: a power of two from 2 on"
    )
    _require(
        min(plan.commit_every, plan.switch_every, plan.keep_segments) >= 0,
        "commit_every, switch_every, keep_segments: must not be negative",
    )
    _require(plan.switch_every == 0 or gates > 0, "switch: needs gates, it takes all of them")
    _require(plan.copy or plan.directory is None, "flush: nothing is copied that it could write")
    disturbed = plan.disturbance
    _require(
        disturbed is None or disturbed.point in points(),
        f"point {disturbed and disturbed.point}: one of {', '.join(points())} is needed",
    )
    _require(
        plan.version in VERSIONS.values(),
        f"version {plan.version}: one of {', '.join(map(str, VERSIONS.values()))} is needed",
    )
    if plan.copy:
        largest, smallest = int(sizes.max()), int(sizes.min())
        _require(links, "copy: the method returns no prev link, and a record needs one")
        _require(
            smallest >= SMALLEST_RECORD,
            f"size {smallest}: a record has at least {SMALLEST_RECORD} bytes",
        )
        _require(
            largest * threads <= _MOST_RECORD_MEMORY,
            f"size {largest}: with {threads} threads more than {_MOST_RECORD_MEMORY} bytes",
        )
    if plan.directory is not None:
        _require(
            start_tip % plan.layout.usable_in_segment == 0,
            f"start_tip {start_tip}: files begin with a segment, "
            f"at a multiple of {plan.layout.usable_in_segment}",
        )


@contextmanager
def opened(plan: InsertPlan) -> Iterator[int]:
    """The directory's file descriptor, -1 without one. Raises EnvironmentUnfit."""
    if plan.directory is None:
        yield -1
        return
    try:
        directory = os.open(plan.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise EnvironmentUnfit(f"{plan.directory}: {error.strerror}") from None
    try:
        yield directory
    finally:
        os.close(directory)


def native(plan: InsertPlan, directory: int, inserted: npt.NDArray[np.void] | None) -> Any:
    """The plan for C; ``inserted`` is filled by the run and must live as long."""
    made = ffi.new("dwcas_insert_plan *")
    made.layout = lib.dwcas_layout_of(plan.layout.page_size, plan.layout.segment_size)
    made.publish = publisher(plan.publish).native
    made.gates, made.copy, made.ring_pages = plan.gates, plan.copy, plan.ring_pages
    made.commit_every, made.switch_every = plan.commit_every, plan.switch_every
    made.sync, made.keep_segments = plan.sync, plan.keep_segments
    made.directory, made.system_id = directory, plan.system_id
    made.magic = next(magic for magic, version in VERSIONS.items() if version == plan.version)
    made.early = plan.early
    if plan.disturbance is not None:
        made.disturbance.point = 1 + points().index(plan.disturbance.point)
        made.disturbance.nth = plan.disturbance.nth
        made.disturbance.suspend_ns = plan.disturbance.suspend_ns
    if inserted is not None:
        made.inserted = ffi.from_buffer("dwcas_insertion[]", inserted)
    return made


def result(plan: InsertPlan, made: Any) -> InsertResult:
    """What C says of a run. Raises EnvironmentUnfit if its files could not be written."""
    if made.errno_:
        raise EnvironmentUnfit(f"{plan.directory}: writing failed ({os.strerror(made.errno_)})")
    return InsertResult(**{name: getattr(made, name) for name in InsertResult.__annotations__})
