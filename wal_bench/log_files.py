# SPDX-License-Identifier: MIT
"""Segment files of measured windows, made once and used by each of them again.

PostgreSQL renames segments that it needs no more to ones that it will need, so a log in its steady
state fills no new file. Nor does a window here: creating 16 MiB costs more than many a commit.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Self

from wal_bench.errors import EnvironmentUnfit
from wal_bench.layout import Layout

KEPT_SEGMENTS = 8
_PREFIX = "dwcas-wal-"
_ZEROS = bytes(1 << 20)
_TIMELINE = 1


def segment_name(layout: Layout, segment: int) -> str:
    """As PostgreSQL names the file of that segment number."""
    high, low = divmod(segment, (1 << 32) // layout.segment_size)
    return f"{_TIMELINE:08X}{high:08X}{low:08X}"


@contextmanager
def fresh(parent: Path) -> Iterator[Path]:
    """An empty directory that is gone at the end. Raises EnvironmentUnfit."""
    try:
        made = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
    except OSError as error:
        raise EnvironmentUnfit(f"wal-dir {parent}: {error.strerror}") from None
    try:
        yield Path(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)


class LogFiles(AbstractContextManager["LogFiles"]):
    """A directory in each parent that was asked for; all are gone at the end."""

    def __init__(self) -> None:
        self._made: dict[tuple[Path, Layout], Path] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for directory in self._made.values():
            shutil.rmtree(directory, ignore_errors=True)

    def prepare(self, parent: Path, layout: Layout) -> None:
        """Make the files, of their full length and synced. Raises EnvironmentUnfit."""
        if (parent, layout) in self._made:
            return
        try:
            directory = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
            self._made[parent, layout] = directory
            for number in range(1, KEPT_SEGMENTS + 1):
                with (directory / segment_name(layout, number)).open("wb") as file:
                    for at in range(0, layout.segment_size, len(_ZEROS)):
                        file.write(_ZEROS[: layout.segment_size - at])
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:
            raise EnvironmentUnfit(f"wal-dir {parent}: {error.strerror}") from None

    def recycled(self, parent: Path, layout: Layout) -> Path:
        """The directory there, its files named for the segments of a log that begins with
        segment 1. What they hold is what the window before left."""
        self.prepare(parent, layout)
        directory = self._made[parent, layout]
        # A window leaves names in a row, all at or above these: in order, none is in the way.
        for number, path in enumerate(sorted(directory.iterdir()), 1):
            path.rename(directory / segment_name(layout, number))
        return directory
