# SPDX-License-Identifier: MIT
"""Where threads run: a policy turns the CPUs of the mask into one CPU per thread.

``none``     not pinned (-1 for each thread)
``compact``  neighbours first: all hardware threads of a core, then the next core of the package
``scatter``  far apart first: packages in turn, one thread per core before any core gets a second
a list       ``0-3,8``: these CPUs, in this order

More threads than CPUs go round again. To add a policy: one function with @_policy.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain, zip_longest

from atomics.topology import Cpu
from wal_bench.errors import UsageError

Policy = Callable[[Sequence[Cpu]], list[int]]

POLICIES: dict[str, Policy] = {}


def _policy(function: Policy) -> Policy:
    POLICIES[function.__name__.strip("_")] = function
    return function


def _cores(cpus: Sequence[Cpu]) -> list[list[Cpu]]:
    """Hardware threads grouped by core; packages, then cores, then threads ascending."""
    groups: dict[tuple[int, int], list[Cpu]] = defaultdict(list)
    for cpu in sorted(cpus, key=lambda c: c.id):
        groups[cpu.core].append(cpu)
    return sorted(groups.values(), key=lambda core: (core[0].package, core[0].id))


@_policy
def _none(cpus: Sequence[Cpu]) -> list[int]:
    return [-1]


@_policy
def _compact(cpus: Sequence[Cpu]) -> list[int]:
    return [cpu.id for core in _cores(cpus) for cpu in core]


@_policy
def _scatter(cpus: Sequence[Cpu]) -> list[int]:
    packages: dict[int, list[list[Cpu]]] = defaultdict(list)
    for core in _cores(cpus):
        packages[core[0].package].append(core)
    # Inside a package: the first hardware thread of every core, then the second of every core ..
    rows = [
        [cpu for layer in zip_longest(*cores) for cpu in layer if cpu is not None]
        for cores in packages.values()
    ]
    return [cpu.id for cpu in chain.from_iterable(zip_longest(*rows)) if cpu is not None]


def _listed(text: str, cpus: Sequence[Cpu]) -> list[int]:
    chosen: list[int] = []
    for item in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,6})(?:-(\d{1,6}))?\s*", item, re.ASCII)
        if match is None:
            known = ", ".join(POLICIES)
            raise UsageError(f"pin {text!r}: one of {known}, or a list of CPUs such as 0-3,8")
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last:
            raise UsageError(f"pin {text!r}: {item.strip()} runs backwards")
        chosen.extend(range(first, last + 1))
    mask = sorted(cpu.id for cpu in cpus)
    outside = [cpu for cpu in chosen if cpu not in mask]
    if outside:
        raise UsageError(f"pin {text!r}: CPU {outside[0]} is not among those allowed here: {mask}")
    return chosen


def place(policy: str, threads: int, cpus: Sequence[Cpu]) -> tuple[int, ...]:
    """One CPU number per thread, -1 = not pinned. UsageError for an unknown policy or CPU."""
    order = POLICIES[policy](cpus) if policy in POLICIES else _listed(policy, cpus)
    return tuple(order[thread % len(order)] for thread in range(threads))
