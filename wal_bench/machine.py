# SPDX-License-Identifier: MIT
"""The machine record that goes with every result. What the system does not say is None."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from atomics.cpu import cpu_model, text_of
from atomics.topology import Cpu
from wal_bench import cgroup, engine

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


def load(root: Path = _ROOT) -> float | None:
    """The one-minute load average."""
    try:
        return float((text_of(root / "proc/loadavg") or "").split()[0])
    except (IndexError, ValueError):
        return None


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
        "cpu_quota": cgroup.cpu_quota(),
        "governors": governors(cpus),
        "hypervisor": hypervisor(),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "gil": True if gil is None else bool(gil()),
        "dwcas": engine.build_info(),
        "sampling_clock": {"cost_ns": round(cost, 3), "step_ns": round(step, 3)},
        "load_before": load(),
    }
