# SPDX-License-Identifier: MIT
"""What the control groups of this process allow, versions 1 and 2, its parents included.

A limit of any ancestor holds, so the tightest is told. Inside a container the ancestors beyond its
top cannot be seen: neither can what they allow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from atomics.cpu import text_of
from atomics.topology import listed_in

_ROOT = Path("/")
_TOP = PurePosixPath("/")
_NO_LIMIT = 1 << 60  #: version 1 writes "no limit" as the largest number of pages


def _mounts(controller: str, root: Path) -> Iterator[tuple[Path, PurePosixPath]]:
    """Where that hierarchy (version 2: "") is mounted, and which of its groups is on top there."""
    text = text_of(root / "proc/self/mountinfo")
    if text is None:
        yield root / "sys/fs/cgroup" / controller, _TOP
        return
    for line in text.splitlines():
        fields, _, rest = (part.split() for part in line.partition(" - "))
        if len(fields) < 5 or len(rest) < 3:
            continue
        top, mount = (re.sub(r"\\(\d{3})", lambda m: chr(int(m[1], 8)), f) for f in fields[3:5])
        v1 = rest[0] == "cgroup" and controller in rest[2].split(",")
        if (rest[0] == "cgroup2" and not controller) or v1:
            yield root / mount.lstrip("/"), PurePosixPath(top)


def _own(controller: str, root: Path) -> PurePosixPath | None:
    for line in (text_of(root / "proc/self/cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, colon, path = rest.partition(":")
        if colon and controller in controllers.split(",") and path.startswith("/"):
            return PurePosixPath(path)
    return None


def _levels(controller: str, root: Path) -> list[Path]:
    """Folders of the own group and its ancestors, nearest first; they need not exist."""
    own = _own(controller, root)
    if own is None:
        return []
    found = []
    for mount, top in _mounts(controller, root):
        # A path from outside a container may not lie below its mount: then only the top is known.
        below = own.relative_to(top if own.is_relative_to(top) else _TOP)
        parts = () if ".." in below.parts else below.parts
        found += [mount.joinpath(*parts[:deep]) for deep in range(len(parts), -1, -1)]
    return found


def _each(controller: str, read: Callable[[Path], float | None], root: Path) -> list[float]:
    """What the levels say, of version 2 and of that controller of version 1."""
    folders = _levels("", root) + _levels(controller, root)
    return [value for folder in folders if (value := read(folder)) is not None]


def _number(path: Path) -> int | None:
    try:
        return int(text_of(path) or "")
    except ValueError:
        return None


def _share(quota: str | None, period: str | None) -> float | None:
    """quota / period in CPUs; "max", -1 and what is no number mean no quota."""
    try:
        share = int(quota or "") / int(period or "")
    except (ValueError, ZeroDivisionError):
        return None
    return share if share > 0 else None


def _quota(folder: Path) -> float | None:
    quota, _, period = (text_of(folder / "cpu.max") or "").partition(" ")
    v1 = _share(text_of(folder / "cpu.cfs_quota_us"), text_of(folder / "cpu.cfs_period_us"))
    return _share(quota, period) or v1


def cpu_quota(root: Path = _ROOT) -> float | None:
    """CPUs' worth of time that the control group allows, the tightest of it and its parents."""
    return min(_each("cpu", _quota, root), default=None)


def _nr_throttled(folder: Path) -> int | None:
    match = re.search(r"^nr_throttled (\d+)$", text_of(folder / "cpu.stat") or "", re.M)
    return int(match[1]) if match else None


def throttled(root: Path = _ROOT) -> int | None:
    """How often a quota has stopped the group, the worst of it and its parents."""
    counts = _each("cpu", _nr_throttled, root)
    return int(max(counts)) if counts else None


def _left(folder: Path, limit: str, used: str) -> int | None:
    most, now = _number(folder / limit), _number(folder / used)
    return None if most is None or now is None or most >= _NO_LIMIT else most - now


def _memory_left(folder: Path) -> int | None:
    left = _left(folder, "memory.max", "memory.current")
    if left is None:
        left = _left(folder, "memory.limit_in_bytes", "memory.usage_in_bytes")
    # File pages that nobody uses count as used, and go when memory is asked for.
    unused = re.findall(r"inactive_file (\d+)$", text_of(folder / "memory.stat") or "", re.M)
    return None if left is None else left + max(map(int, unused), default=0)


def memory_left(root: Path = _ROOT) -> int | None:
    """Bytes below the tightest limit, None without one."""
    room = _each("memory", _memory_left, root)
    return int(max(0, min(room))) if room else None


def _tasks_left(folder: Path) -> int | None:
    return _left(folder, "pids.max", "pids.current")


def tasks_left(root: Path = _ROOT) -> int | None:
    """Threads and processes below the tightest limit, None without one."""
    room = _each("pids", _tasks_left, root)
    return int(max(0, min(room))) if room else None


def cpuset(root: Path = _ROOT) -> tuple[int, ...] | None:
    """The CPUs of the nearest group that says; None where none does."""
    paths = [folder / "cpuset.cpus.effective" for folder in _levels("", root)]
    paths += [folder / "cpuset.effective_cpus" for folder in _levels("cpuset", root)]
    return next((found for path in paths if (found := listed_in(path))), None)
