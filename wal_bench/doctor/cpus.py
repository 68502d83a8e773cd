# SPDX-License-Identifier: MIT
"""Which CPUs a measurement may use, and how they hang together."""

from __future__ import annotations

import re
from collections import Counter

from atomics.topology import listed_in, siblings
from wal_bench.doctor.check import Seen, check, unreadable
from wal_bench.doctor.host import Host
from wal_bench.words import count, ranges


@check(before_run=True)
def cpus(host: Host) -> Seen:
    """Those of the affinity mask among all."""
    online, present = host.listed("online"), host.listed("present")
    values = {"usable": host.numbers, "online": online, "present": present}
    found = f"{ranges(host.numbers)} usable"
    if online is not None:
        found += f", {ranges(online)} online"
    if present is not None and present != online:
        found += f", {ranges(present)} present"
    if host.used == 1 and host.threads != 1:
        means = "threads take turns on one CPU: what they do to each other at once is not measured"
        return Seen("warn", found, means, "give it more CPUs (taskset, cpuset, --pin)", values)
    if online is None:
        found += "; which are online cannot be read"
        return Seen("note", found, "some may be left out", None, values)
    if set(online) - set(host.numbers):
        means = "only these are measured; what runs on the others shares caches with them"
        return Seen("note", found, means, None, values)
    if present is not None and set(present) - set(online):
        return Seen("note", found, "the machine has more than are measured", None, values)
    return Seen("ok", found, "", None, values)


@check()
def cores(host: Host) -> Seen:
    """Hardware threads that share one."""
    folder = host.path("sys/devices/system/cpu")
    together = [siblings(number, folder) for number in host.numbers]
    sizes = Counter(cpu.core for cpu in host.cpus)
    known = all(together) or any(size > 1 for size in sizes.values())
    outside = {n for listed in together for n in listed or ()} - set(host.numbers)
    values: dict[str, object] = {
        "cores": len(sizes) if known else None,
        "siblings_outside": sorted(outside) if all(together) else None,
    }
    if not known:
        what = "which CPUs are hardware threads of one core"
        return unreadable(what, "two on one core slow each other down: it would not show")
    found = f"{count(len(sizes), 'core')} with {count(len(host.cpus), 'CPU')}"
    if outside:
        means = f"CPU {ranges(outside)} shares them and is not ours: what runs there slows us"
        return Seen("warn", found, means, "take whole cores, and leave the others idle", values)
    if len(sizes) < len(host.cpus):
        means = "two threads on one core pass a line on without leaving it, and share its units"
        firsts = ranges({min(c.id for c in host.cpus if c.core == core) for core in sizes})
        advice = f"--pin scatter fills each core once first; `taskset -c {firsts}` uses no second"
        return Seen("note", found, means, advice, values)
    return Seen("ok", found, "no two CPUs share one", None, values)


def _capacities(host: Host) -> dict[int, str] | None:
    """arm64 and newer x86: how much a CPU can do, 1024 for the fastest kind."""
    folder = "sys/devices/system/cpu"
    told = {n: host.text(f"{folder}/cpu{n}/cpu_capacity") for n in host.numbers}
    return None if None in told.values() else {n: f"capacity {text}" for n, text in told.items()}


def _performance_counters(host: Host) -> dict[int, str] | None:
    """x86: a counter unit for each kind of core, or one for all."""
    kinds: dict[int, str] = {}
    for name in ("cpu_core", "cpu_atom"):
        kinds |= dict.fromkeys(listed_in(host.path(f"sys/devices/{name}/cpus")) or (), name)
    if set(host.numbers) <= set(kinds):
        return {number: kinds[number] for number in host.numbers}
    return dict.fromkeys(host.numbers, "cpu") if host.path("sys/devices/cpu").is_dir() else None


def _parts(host: Host) -> dict[int, str] | None:
    """arm64: the part number of each."""
    text = host.text("proc/cpuinfo") or ""
    rows = re.findall(r"^processor\s*:\s*(\d+)\n(?:.+\n)*?CPU part\s*:\s*(\w+)", text, re.M)
    told = {int(number): f"part {part}" for number, part in rows}
    return {n: told[n] for n in host.numbers} if set(host.numbers) <= set(told) else None


@check()
def kinds_of_core(host: Host) -> Seen:
    """Fast ones and small ones."""
    told = [_capacities(host), _performance_counters(host), _parts(host)]
    kinds = next((kind for kind in told if kind is not None), None)
    if kinds is None:
        return unreadable("kinds of core", "a slower kind among them would not show")
    by_kind = {kind: ranges(n for n in kinds if kinds[n] == kind) for kind in kinds.values()}
    values: dict[str, object] = {"kinds": by_kind}
    if len(by_kind) == 1:
        return Seen("ok", "one", "all are alike", None, values)
    found = "; ".join(f"CPU {numbers} {kind}" for kind, numbers in sorted(by_kind.items()))
    means = "more threads also means other, slower cores"
    lists = " or ".join(f"`taskset -c {numbers}`" for _, numbers in sorted(by_kind.items()))
    return Seen("warn", found, means, f"measure one kind: {lists}", values)


@check()
def nodes(host: Host) -> Seen:
    """NUMA nodes, and whether the kernel moves memory between them."""
    numbers = {cpu.node for cpu in host.cpus}
    if None in numbers:
        return unreadable("NUMA nodes", "lines may come from far away: it would not show")
    known = {node for node in numbers if node is not None}
    moves = host.text("proc/sys/kernel/numa_balancing")
    balancing = None if moves is None else moves != "0"
    values: dict[str, object] = {"nodes": sorted(known), "balancing": balancing}
    found = count(len(known), "node")
    if len(known) == 1:
        return Seen("ok", found, "", None, values)
    means = "a line from another node takes longer: the place of threads decides"
    advice = "compare --pin compact and scatter, or stay on one node with taskset"
    if balancing:
        means += "; the kernel moves pages while it runs (numa_balancing)"
    return Seen("note", found, means, advice, values)


@check()
def isolated(host: Host) -> Seen:
    """CPUs that the scheduler leaves alone, or that run without a tick."""
    kept, tickless = host.listed("isolated"), host.listed("nohz_full")
    if kept is None:
        return unreadable("isolated CPUs", "")
    ours = set(kept) & set(host.numbers)
    values = {"isolated": kept, "nohz_full": tickless}
    found = ranges(kept) + (f"; without a tick {ranges(tickless)}" if tickless else "")
    if not ours:
        means = "other work may be scheduled there"
        return Seen("ok", found, means, None, values)
    if ours == set(host.numbers):
        means = "left alone; threads that are not pinned would all stay on one CPU"
        return Seen("note", found, means, "do not use --pin none", values)
    means = f"CPU {ranges(ours)} is quieter than the others used"
    return Seen("note", found, means, f"use only these: `taskset -c {ranges(ours)}`", values)
