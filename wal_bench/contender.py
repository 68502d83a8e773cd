# SPDX-License-Identifier: MIT
"""What is compared: a method to reserve, alone or within a whole insertion."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from wal_bench import words
from wal_bench.engine import RIVALS, Method
from wal_bench.insert import InsertPlan
from wal_bench.insert_path import InsertPath
from wal_bench.log_files import LogFiles


@dataclass(frozen=True)
class Contender:
    """One of those that run next to each other; its name is unique in its heats."""

    method: Method
    name: str
    baseline: bool = False  #: ratios within its heats are to it
    control: bool = False  #: the baseline once more: how far it is from itself, no verdict is finer
    path: InsertPath | None = None  #: the insertion around the reservation; None: only reserve

    @property
    def rival(self) -> bool:
        """Whether it can win."""
        return self.method.kind in RIVALS and not self.control

    @property
    def flush(self) -> str:
        """The way to flush, empty where nothing is."""
        return "" if self.path is None else self.path.flush.label

    def prepare(self, files: LogFiles) -> None:
        """Make what its measured windows need."""
        if self.path is not None:
            self.path.prepare(files)

    def insertion(
        self, files: LogFiles, history: bool
    ) -> AbstractContextManager[InsertPlan | None]:
        """The insertion of one window; None where there is none."""
        return nullcontext() if self.path is None else self.path.plan(files, history)


@dataclass(frozen=True)
class Heat:
    """Where contenders meet: one thread count, one way to flush. Others are not compared."""

    threads: int
    flush: str = ""

    @property
    def text(self) -> str:
        """``1 thread``, ``2 threads, fdatasync``."""
        return ", ".join(filter(None, [words.count(self.threads, "thread"), self.flush]))
