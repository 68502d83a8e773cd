# SPDX-License-Identifier: MIT
"""Ways to flush a log, and whether a directory serves them. To add one: one row in FLUSHES."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wal_bench import names
from wal_bench.errors import EnvironmentUnfit, UsageError

_IN_MEMORY = ("tmpfs", "ramfs")


@dataclass(frozen=True)
class Flush:
    """One way."""

    name: str
    label: str  #: in outputs, beside a thread count; empty where nothing is flushed
    sync: bool  #: fdatasync after the write
    default: Callable[[], str] | None  #: where segment files lie; None: there are none
    in_memory: bool  #: which file system that must, or must not, be

    def directory(self, asked: str | None) -> Path | None:
        """Where segment files may lie, None if there are none.

        Raises UsageError if what was ``asked`` for does not serve, EnvironmentUnfit if that is
        the default.
        """
        if self.default is None:
            return None
        path = Path(self.default() if asked is None else asked)
        wrong = self._unfit(path)
        if wrong is not None:
            refusal = EnvironmentUnfit if asked is None else UsageError
            raise refusal(f"wal-dir {path}: {wrong}")
        return path

    def _unfit(self, path: Path) -> str | None:
        if not path.is_dir():
            return f"no such directory; {self.name} needs one, --wal-dir DIR"
        if not os.access(path, os.W_OK | os.X_OK):
            return f"cannot be written to; {self.name} needs one that can, --wal-dir DIR"
        kind = file_system(path) or "a file system of unknown kind"
        if self.in_memory and kind not in _IN_MEMORY:
            return f"on {kind}; flush tmpfs needs a tmpfs, such as /dev/shm"
        if not self.in_memory and kind in _IN_MEMORY:
            return f"on {kind}, which is memory; flush {self.name} needs a disk, --wal-dir DIR"
        return None


FLUSHES = {
    row.name: row
    for row in (
        Flush("none", "", False, None, False),
        Flush("tmpfs", "tmpfs", False, lambda: "/dev/shm", True),
        Flush("fdatasync", "fdatasync", True, tempfile.gettempdir, False),
    )
}


def flush(name: str) -> Flush:
    """The row of that name. Raises UsageError with the nearest name."""
    return names.row("flush", name, FLUSHES)


def file_system(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str | None:
    """The kind of file system a path lies on, by its device number; None if it is not told."""
    device = path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        before, _, after = line.partition(" - ")
        if before.split()[2:3] == [number]:
            return after.split()[0]
    return None


def require_space(path: Path, needed: int) -> None:
    """Raise EnvironmentUnfit if a file system has less than ``needed`` bytes left for us."""
    found = os.statvfs(path)
    left = found.f_bavail * found.f_frsize
    if left < needed:
        raise EnvironmentUnfit(
            f"wal-dir {path}: {left >> 20} MiB are free, {-(-needed >> 20)} MiB are needed; "
            "another --wal-dir, or a smaller --segment-size"
        )
