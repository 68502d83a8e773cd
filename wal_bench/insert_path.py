# SPDX-License-Identifier: MIT
"""How whole records are inserted, and where their segment files lie while a window runs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from wal_bench.flush import Flush
from wal_bench.insert import InsertPlan

#: Segment files of a measured window: older ones are reused, or a disk would be full in minutes.
KEPT_SEGMENTS = 8


@dataclass(frozen=True)
class InsertPath:
    """An insertion without its files, and how it flushes."""

    insert: InsertPlan  #: without a directory
    flush: Flush
    wal_dir: Path | None = None  #: each window's own directory is made in it; None: no files

    @contextmanager
    def plan(self, history: bool) -> Iterator[InsertPlan]:
        """The plan of one window, with a directory that is gone at the end, however it ends.

        A ``history`` keeps all its segments, so that they can be read back.
        """
        if self.wal_dir is None:
            yield self.insert
            return
        with tempfile.TemporaryDirectory(
            prefix="dwcas-wal-", dir=self.wal_dir, ignore_cleanup_errors=True
        ) as directory:
            yield replace(
                self.insert,
                directory=Path(directory),
                sync=self.flush.sync,
                keep_segments=0 if history else KEPT_SEGMENTS,
            )
