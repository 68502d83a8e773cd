# SPDX-License-Identifier: MIT
"""The machine record that goes with every result. What the system does not say is None."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from atomics.cpu import cpu_model, text_of
from atomics.topology import Cpu
from wal_bench import engine

_ROOT = Path("/")


def governors(cpus: Sequence[Cpu], root: Path = _ROOT) -> list[str] | None:
    """Distinct frequency governors of these CPUs."""
    folder = root / "sys/devices/system/cpu"
    found = {text_of(folder / f"cpu{cpu.id}" / "cpufreq" / "scaling_governor") for cpu in cpus}
    return sorted(name for name in found if name) or None


def hypervisor(root: Path = _ROOT) -> str | None:
    """The hypervisor's name if there is one that shows itself, "unknown" if only its flag does."""
    if kind := text_of(root / "sys/hypervisor/type"):
        return kind
    if " hypervisor" in (text_of(root / "proc/cpuinfo") or ""):
        return text_of(root / "sys/class/dmi/id/sys_vendor") or "unknown"
    return None


def _own_cgroup(root: Path, controller: str) -> str | None:
    for line in (text_of(root / "proc/self/cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, colon, path = rest.partition(":")
        if colon and controller in controllers.split(","):
            return path
    return None


def _share(quota: str | None, period: str | None) -> float | None:
    """quota / period in CPUs; "max", -1 and what is no number mean no quota."""
    try:
        share = int(quota or "") / int(period or "")
    except (ValueError, ZeroDivisionError):
        return None
    return share if share > 0 else None


def _v2_quota(folder: Path) -> float | None:
    quota, _, period = (text_of(folder / "cpu.max") or "").partition(" ")
    return _share(quota, period)


def _v1_quota(folder: Path) -> float | None:
    return _share(text_of(folder / "cpu.cfs_quota_us"), text_of(folder / "cpu.cfs_period_us"))


def cpu_quota(root: Path = _ROOT) -> float | None:
    """CPUs' worth of time that the control group allows, the tightest of it and its parents."""
    mount = root / "sys/fs/cgroup"
    found: list[float] = []
    for base, path, read in (
        (mount, _own_cgroup(root, ""), _v2_quota),
        (mount / "cpu", _own_cgroup(root, "cpu"), _v1_quota),
    ):
        if path is not None:
            # Inside a container the path may not exist below the mount: then only the top does.
            folder = base / path.lstrip("/")
            levels = [folder, *folder.parents]
            levels = levels[: levels.index(base) + 1]
            found += [quota for level in levels if (quota := read(level)) is not None]
    return min(found, default=None)


def load() -> float:
    """The one-minute load average."""
    return os.getloadavg()[0]


def record(cpus: Sequence[Cpu]) -> dict[str, object]:
    """Everything that a reader needs to judge figures of this machine; strict JSON values."""
    cost, step = engine.clock_cost()
    gil = getattr(sys, "_is_gil_enabled", None)
    return {
        "cpu": cpu_model(),
        "architecture": platform.machine(),
        "cpus": [cpu.id for cpu in cpus],
        "cores": len({cpu.core for cpu in cpus}),
        "packages": len({cpu.package for cpu in cpus}),
        "nodes": len({cpu.node for cpu in cpus}),
        "cpu_quota": cpu_quota(),
        "governors": governors(cpus),
        "hypervisor": hypervisor(),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "gil": True if gil is None else bool(gil()),
        "dwcas": engine.build_info(),
        "sampling_clock": {"cost_ns": round(cost, 3), "step_ns": round(step, 3)},
        "load_before": load(),
    }
