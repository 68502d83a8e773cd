# SPDX-License-Identifier: MIT
"""The whole insertion of a record, of which the reservation is one part: what to do, what it did.

gate -> reserve -> copy into ring pages -> publish -> flush. csrc/include/dwcas/insert.h says what
each part does. Positions are bytepos, sizes bytes, times ns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from wal_bench.layout import Layout

STOCK_GATES = 8  #: PostgreSQL's NUM_XLOGINSERT_LOCKS


@dataclass(frozen=True)
class InsertPlan:
    """How records are inserted. The defaults are stock PostgreSQL without a flush."""

    layout: Layout = field(default_factory=Layout)
    publish: str = "inserting-at"  #: a name of `publishers`
    gates: int = STOCK_GATES  #: 0: none; else a power of two up to 128
    copy: bool = True  #: False: nothing is copied, and nothing can be flushed
    ring_pages: int = 512  #: a power of two, at least 2
    commit_every: int = 0  #: each thread waits for the flush of every so many'th record; 0: never
    switch_every: int = 0  #: thread 0 makes every so many'th insertion a segment switch; 0: never
    directory: Path | None = None  #: for segment files, empty and existing; None: no flush
    sync: bool = False  #: fdatasync what is written; False: flushed means written
    keep_segments: int = 0  #: older segment files are reused; 0: all stay
    system_id: int = 7_000_000_000_000_000_000  #: in the first page of each segment


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
    switch_bytes: int  #: usable bytes that switches took beyond the sizes asked for
