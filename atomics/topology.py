# SPDX-License-Identifier: MIT
"""The CPUs this process may use and how they hang together, from sysfs.

The affinity mask is the only source of CPU numbers: they may have gaps, and CPUs outside the
mask or offline are none of ours. A missing file means "unknown": such a CPU counts as a core of
its own in package 0, so that a machine without any topology still works.

Which CPUs share a core is read from the lists of siblings. ``core_id`` alone does not tell: it
starts again in each die on some x86 and in each cluster on arm64 machines with a device tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SYSFS_CPUS = Path("/sys/devices/system/cpu")


@dataclass(frozen=True)
class Cpu:
    """One CPU of the mask."""

    id: int
    package: int
    core: tuple[int, int]  #: (package, its lowest CPU): equal for hardware threads of one core
    node: int | None  #: NUMA node, None where the system does not say


def cpu_list(text: str) -> tuple[int, ...] | None:
    """``0-3,8`` as the kernel writes CPUs and nodes, ascending; "" is none, None is nonsense."""
    numbers: set[int] = set()
    for item in text.split(",") if text else ():
        match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", item.strip(), re.ASCII)
        if match is None:
            return None
        numbers.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(sorted(numbers))


def listed_in(path: Path) -> tuple[int, ...] | None:
    """The numbers in such a file; None where there is none, or nonsense in it."""
    try:
        return cpu_list(path.read_text(encoding="utf-8", errors="replace").strip())
    except OSError:
        return None


def _number(path: Path) -> int | None:
    try:
        number = int(path.read_text())
    except (OSError, ValueError):
        return None
    return number if number >= 0 else None  # some arm64 and virtual machines say -1: unknown


def _node(folder: Path) -> int | None:
    nodes = sorted(entry.name for entry in folder.glob("node[0-9]*"))
    return int(nodes[0].removeprefix("node")) if nodes else None


def siblings(number: int, root: Path = SYSFS_CPUS) -> tuple[int, ...] | None:
    """The online CPUs of the same core, itself included; None where the system does not say."""
    folder = root / f"cpu{number}" / "topology"
    for name in ("core_cpus_list", "thread_siblings_list"):  # since 5.3 and before
        found = listed_in(folder / name)
        if found and number in found:
            return found
    return None


def _cpu(number: int, root: Path, by_id: dict[tuple[int, int], int]) -> Cpu:
    folder = root / f"cpu{number}"
    package = _number(folder / "topology" / "physical_package_id") or 0
    if together := siblings(number, root):
        lowest = together[0]
    else:
        core_id = _number(folder / "topology" / "core_id")
        lowest = number if core_id is None else by_id.setdefault((package, core_id), number)
    return Cpu(number, package, (package, lowest), _node(folder))


def read_topology(root: Path = SYSFS_CPUS, mask: Iterable[int] | None = None) -> tuple[Cpu, ...]:
    """The CPUs of the mask (default: this process's), ascending by number."""
    numbers = os.sched_getaffinity(0) if mask is None else mask
    by_id: dict[tuple[int, int], int] = {}  # lowest CPU of (package, core id)
    return tuple(_cpu(number, root, by_id) for number in sorted(numbers))
