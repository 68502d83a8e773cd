# SPDX-License-Identifier: MIT
"""How whole records are inserted, and where their segment files lie while a window runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from wal_bench.engine import WindowPlan
from wal_bench.flush import Flush
from wal_bench.insert import InsertPlan
from wal_bench.log_files import KEPT_SEGMENTS, LogFiles, fresh


def inserting(plan: WindowPlan, insert: InsertPlan | None) -> WindowPlan:
    """The window with that insertion. Its log begins with the second segment, as PostgreSQL's."""
    if insert is None:
        return plan
    begin = insert.layout.usable_in_segment
    return replace(plan, insert=insert, start_tip=begin, start_prev=begin - 64)


@dataclass(frozen=True)
class InsertPath:
    """An insertion without its files, and how it flushes."""

    insert: InsertPlan  #: without a directory
    flush: Flush
    wal_dir: Path | None = None  #: each window's own directory is made in it; None: no files

    def prepare(self, files: LogFiles) -> None:
        """Make the files of measured windows, if there are to be any."""
        if self.wal_dir is not None:
            files.prepare(self.wal_dir, self.insert.layout)

    @contextmanager
    def plan(self, files: LogFiles, history: bool) -> Iterator[InsertPlan]:
        """The plan of one window.

        A ``history`` has new files and keeps all of them, so that they can be read back.
        """
        made = replace(self.insert, sync=self.flush.sync)
        if self.wal_dir is None:
            yield made
        elif history:
            with fresh(self.wal_dir) as directory:
                yield replace(made, directory=directory)
        else:
            directory = files.recycled(self.wal_dir, self.insert.layout)
            yield replace(made, directory=directory, keep_segments=KEPT_SEGMENTS)
