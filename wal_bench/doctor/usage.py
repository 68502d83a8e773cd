# SPDX-License-Identifier: MIT
"""How much of each CPU was used, and by whom, between two looks at /proc.

The unit is the kernel's tick (1/100 s), on both sides of every ratio: no clock is needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from atomics.cpu import text_of

_IDLE, _IOWAIT, _STEAL = 3, 4, 7  #: among the fields of a "cpuN" line, of which ...
_FIELDS = 8  #: ... the first eight make up the time; guests are counted in "user" too
_UTIME, _STIME, _STARTED, _LAST_CPU = 11, 12, 19, 36  #: in /proc/PID/stat, behind the name


@dataclass(frozen=True)
class CpuTime:
    """Ticks of one CPU."""

    busy: int
    stolen: int  #: by the hypervisor, while something was ready to run
    free: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.busy + self.stolen + self.free

    def __sub__(self, other: CpuTime) -> CpuTime:
        # The kernel's idle time may step back a little.
        pairs = ((self.busy, other.busy), (self.stolen, other.stolen), (self.free, other.free))
        return CpuTime(*(max(0, now - before) for now, before in pairs))


@dataclass(frozen=True)
class Process:
    """One of the others."""

    pid: int
    name: str
    cpu: int  #: where it ran last
    share: float  #: of one CPU


@dataclass(frozen=True)
class Usage:
    """What happened in between."""

    cpus: dict[int, CpuTime]
    since_boot: dict[int, CpuTime]
    processes: tuple[Process, ...]  #: all, most first, without this one


def _cpu_times(root: Path) -> dict[int, CpuTime]:
    found = {}
    for line in (text_of(root / "proc/stat") or "").splitlines():
        name, *fields = line.split()
        number = name.removeprefix("cpu")
        if not name.startswith("cpu") or not number.isdigit():
            continue
        ticks = [int(field) for field in fields[:_FIELDS] if field.isdigit()]
        if len(ticks) == _FIELDS:
            free, stolen = ticks[_IDLE] + ticks[_IOWAIT], ticks[_STEAL]
            found[int(number)] = CpuTime(sum(ticks) - free - stolen, stolen, free)
    return found


def _printable(name: str) -> str:
    """A process may call itself anything, and a terminal obeys some of it."""
    return "".join(char if char.isprintable() else "?" for char in name)


def _process_times(root: Path) -> dict[tuple[int, str], tuple[int, str, int]]:
    """(pid, start) -> ticks, name, last CPU."""
    found = {}
    for path in root.glob("proc/[0-9]*/stat"):
        # The name stands in brackets and may hold any of them.
        front, _, behind = (text_of(path) or "").rpartition(")")
        fields = behind.split()
        try:
            ticks = int(fields[_UTIME]) + int(fields[_STIME])
            key = int(path.parent.name), fields[_STARTED]
            found[key] = ticks, _printable(front.partition("(")[2]), int(fields[_LAST_CPU])
        except (IndexError, ValueError):
            continue  # it has ended, or this is no process
    return found


def over(root: Path, wait: Callable[[], None]) -> Usage | None:
    """What was used during ``wait``; None where /proc/stat does not tell."""
    processes = _process_times(root)
    before = _cpu_times(root)
    wait()
    after = _cpu_times(root)
    cpus = {number: after[number] - before[number] for number in after if number in before}
    ticks = max((times.total for times in cpus.values()), default=0)
    if not ticks:
        return None
    used = [
        Process(key[0], name, cpu, (now - processes[key][0] if key in processes else now) / ticks)
        for key, (now, name, cpu) in _process_times(root).items()
        if key[0] != os.getpid()
    ]
    return Usage(cpus, after, tuple(sorted(used, key=lambda process: -process.share)))
