# SPDX-License-Identifier: MIT
"""What single memory operations cost on this machine: ``atomics cost``, schema dwcas.cost/1.

Three parts. *local*: each operation on lines of a working set that fits the first-, second- or
third-level cache, and on lines flushed to memory. *remote*: on lines that another CPU has modified,
exclusive, or that both share, for one pair of CPUs of each distance. *handoff*: time for a write to
be seen and answered by another CPU, for every pair.

All figures are medians over rounds that go through everything, with their interval, ns. An
operation that returns something is timed one at a time (latency); a store returns nothing and
overlaps with the next (throughput). Finding the next line takes two cycles or so, included.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from atomics import dispatch
from atomics._native import ffi, lib
from atomics.cpu import cpu_model, text_of
from atomics.estimates import Estimate, estimate
from atomics.topology import Cpu

SCHEMA = "dwcas.cost/1"
STATES = ("modified", "exclusive", "shared")
_DEFAULT_CACHES = (32 << 10, 512 << 10, 8 << 20)  #: where sysfs does not say
_FLUSHED = 1 << 20
_MOST_PAIRS = 512  #: hand-offs; all pairs of 32 CPUs


@dataclass(frozen=True)
class Operation:
    """One row of csrc/cost/operations.def."""

    name: str
    bytes: int  #: 0 for a fence
    returns: bool


@dataclass(frozen=True)
class Level:
    """Where the lines are: a cache or memory, and the working set that puts them there."""

    name: str
    bytes: int
    flushed: bool = False


@dataclass
class Costs:
    """Samples in ns by what was measured; ``missing`` says what could not be, and why."""

    cpu: int
    operations: tuple[Operation, ...]
    levels: tuple[Level, ...]
    pairs: dict[str, tuple[int, int]]  #: distance -> (owner, measuring CPU)
    cycle: list[float] = field(default_factory=list)
    local: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    remote: dict[tuple[str, str, str], list[float]] = field(default_factory=dict)
    handoff: dict[tuple[int, int, bool], list[float]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def operations() -> tuple[Operation, ...]:
    """What can be measured, in its order."""
    name, size, returns = ffi.new("char **"), ffi.new("int *"), ffi.new("bool *")
    found: list[Operation] = []
    while lib.dwcas_cost_at(len(found), name, size, returns):
        found.append(Operation(ffi.string(name[0]).decode(), size[0], returns[0]))
    return tuple(found)


def _bytes(text: str | None) -> int | None:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    if text is None or not text[:-1].isdigit() or text[-1] not in units:
        return None
    return int(text[:-1]) * units[text[-1]]


def levels(cpu: int, root: Path = Path("/sys/devices/system/cpu")) -> tuple[Level, ...]:
    """Working sets for the data caches of a CPU: half of each, but at most four times the cache
    below, so that few pages are touched and it is the cache that is measured. Sizes that sysfs does
    not tell are assumed (32 KiB, 512 KiB, 8 MiB)."""
    sizes = dict(zip((1, 2, 3), _DEFAULT_CACHES, strict=True))
    for index in sorted((root / f"cpu{cpu}" / "cache").glob("index*")):
        level, size = text_of(index / "level"), _bytes(text_of(index / "size"))
        kind = text_of(index / "type")
        if kind in ("Data", "Unified") and size and level in ("1", "2", "3"):
            sizes[int(level)] = size
    found: list[Level] = []
    below = 0
    for number, room in sizes.items():
        chosen = min(room // 2, 4 * below) if below else room // 2
        if chosen > below:
            found.append(Level(f"L{number}", chosen))
        below = room
    return (*found, Level("memory", _FLUSHED, flushed=True))


def distances(cpus: Sequence[Cpu]) -> dict[str, tuple[int, int]]:
    """From the first CPU to the nearest of each kind: hardware thread of the same core, core of
    the same package, other package."""
    kinds: dict[str, tuple[int, int]] = {}
    first = cpus[0]
    for other in cpus[1:]:
        same = (other.package == first.package) + (other.core == first.core)
        kind = ("other package", "same package", "same core")[same]
        kinds.setdefault(kind, (first.id, other.id))
    return kinds


def prepare(cpus: Sequence[Cpu]) -> Costs:
    """What will be measured on these CPUs. NoBackendError without a 16-byte CAS."""
    dispatch.native_backend()
    costs = Costs(cpus[0].id, operations(), levels(cpus[0].id), distances(cpus))
    if len(cpus) == 1:
        costs.missing.append(
            f"remote and handoff: need two CPUs, and this process may use one (CPU {cpus[0].id})"
        )
    pairs = list(combinations((cpu.id for cpu in cpus), 2))
    if len(pairs) > _MOST_PAIRS:
        costs.missing.append(f"handoff: {len(pairs) - _MOST_PAIRS} of {len(pairs)} pairs")
    costs.handoff = {(a, b, wide): [] for a, b in pairs[:_MOST_PAIRS] for wide in (False, True)}
    return costs


def _add(samples: list[float], ns: float) -> None:
    if math.isfinite(ns):  # else a thread was not to be had, or did not answer
        samples.append(ns)


def measure_round(costs: Costs, step: Callable[[], None]) -> None:
    """One more sample of everything; ``step`` is called after each. Ctrl-C between two keeps
    what there is."""
    _add(costs.cycle, lib.dwcas_cost_cycle_ns(costs.cpu))
    for number, operation in enumerate(costs.operations):
        for level in costs.levels:
            samples = costs.local.setdefault((operation.name, level.name), [])
            _add(samples, lib.dwcas_cost_local(number, level.bytes, level.flushed, costs.cpu))
        step()
        for distance, (owner, cpu) in costs.pairs.items():
            for state, name in enumerate(STATES):
                samples = costs.remote.setdefault((operation.name, distance, name), [])
                _add(samples, lib.dwcas_cost_remote(number, state, owner, cpu))
        step()
    for (a, b, wide), samples in costs.handoff.items():
        _add(samples, lib.dwcas_cost_handoff(wide, a, b))
    step()


def steps(costs: Costs) -> int:
    """How often ``measure_round`` calls its ``step``."""
    return 2 * len(costs.operations) + 1


def _figure(samples: list[float] | None, cycle: float | None = None) -> dict[str, float] | None:
    if not samples:
        return None
    found: Estimate = estimate(samples)
    shown: dict[str, float] = {
        name: round(getattr(found, name), 3) for name in ("median", "low", "high")
    }
    shown["n"] = found.n
    if cycle:
        shown["cycles"] = round(found.median / cycle, 1)
    return shown


def document(costs: Costs, cpus: Sequence[Cpu]) -> dict[str, object]:
    """The JSON of what was measured (strict; null where nothing was)."""
    cycle = estimate(costs.cycle).median if costs.cycle else None
    return {
        "schema": SCHEMA,
        "machine": {
            "cpu": cpu_model(),
            "backend": dispatch.backend(),
            "cpus": [cpu.id for cpu in cpus],
            "measured_on": costs.cpu,
            "cycle_ns": _figure(costs.cycle),
        },
        "local": [
            {
                "operation": operation.name,
                "bytes": operation.bytes,
                "timed": "latency" if operation.returns else "throughput",
                "level": level.name,
                "working_set": level.bytes,
                "ns": _figure(costs.local.get((operation.name, level.name)), cycle),
            }
            for operation in costs.operations
            for level in costs.levels
        ],
        "remote": [
            {
                "operation": operation.name,
                "bytes": operation.bytes,
                "timed": "latency" if operation.returns else "throughput",
                "distance": distance,
                "owner": owner,
                "cpu": cpu,
                "state": state,
                "ns": _figure(costs.remote.get((operation.name, distance, state)), cycle),
            }
            for operation in costs.operations
            for distance, (owner, cpu) in costs.pairs.items()
            for state in STATES
        ],
        "handoff": [
            {"a": a, "b": b, "by": "16-byte CAS" if wide else "8-byte store", "ns": _figure(found)}
            for (a, b, wide), found in costs.handoff.items()
        ],
        "missing": costs.missing,
    }
