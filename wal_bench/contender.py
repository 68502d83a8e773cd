# SPDX-License-Identifier: MIT
"""What is compared: a method to reserve, alone or within a whole insertion."""

from __future__ import annotations

from dataclasses import dataclass

from wal_bench import words
from wal_bench.engine import Method
from wal_bench.insert_path import InsertPath


@dataclass(frozen=True)
class Contender:
    """One of those that run next to each other; its name is unique in its heats."""

    method: Method
    name: str
    baseline: bool = False  #: ratios within its heats are to it
    path: InsertPath | None = None  #: the insertion around the reservation; None: only reserve

    @property
    def flush(self) -> str:
        """The way to flush, empty where nothing is."""
        return "" if self.path is None else self.path.flush.label


@dataclass(frozen=True)
class Heat:
    """Where contenders meet: one thread count, one way to flush. Others are not compared."""

    threads: int
    flush: str = ""

    @property
    def text(self) -> str:
        """``1 thread``, ``2 threads, fdatasync``."""
        return ", ".join(filter(None, [words.count(self.threads, "thread"), self.flush]))
