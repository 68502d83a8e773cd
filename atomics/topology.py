# SPDX-License-Identifier: MIT
"""The CPUs this process may use and how they hang together, from sysfs.

The affinity mask is the only source of CPU numbers: they may have gaps, and CPUs outside the
mask or offline are none of ours. A missing file means "unknown": such a CPU counts as a core of
its own in package 0, so that a machine without any topology still works.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SYSFS_CPUS = Path("/sys/devices/system/cpu")


@dataclass(frozen=True)
class Cpu:
    """One CPU of the mask."""

    id: int
    package: int
    core: tuple[int, int]  #: (package, core id): equal for hardware threads of one core
    node: int | None  #: NUMA node, None where the system does not say


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _node(folder: Path) -> int | None:
    nodes = sorted(entry.name for entry in folder.glob("node[0-9]*"))
    return int(nodes[0].removeprefix("node")) if nodes else None


def _cpu(number: int, folder: Path) -> Cpu:
    package = _number(folder / "topology" / "physical_package_id")
    core = _number(folder / "topology" / "core_id")
    # Some arm64 and virtual machines say -1: unknown.
    package = package if package is not None and package >= 0 else 0
    # A CPU without a core id is its own core; negative, so that it meets no real one.
    core = core if core is not None and core >= 0 else -1 - number
    return Cpu(number, package, (package, core), _node(folder))


def read_topology(root: Path = SYSFS_CPUS, mask: Iterable[int] | None = None) -> tuple[Cpu, ...]:
    """The CPUs of the mask (default: this process's), ascending by number."""
    numbers = os.sched_getaffinity(0) if mask is None else mask
    return tuple(_cpu(number, root / f"cpu{number}") for number in sorted(numbers))
