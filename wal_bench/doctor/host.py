# SPDX-License-Identifier: MIT
"""What the checks look at: files below a root, and what is measured, once, when one asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from atomics.cpu import text_of
from atomics.topology import Cpu, listed_in
from wal_bench import engine
from wal_bench.doctor.gaps import Gaps, watch
from wal_bench.doctor.usage import Usage, over
from wal_bench.placement import place

_INTERVAL_S = _PROBE_S = 1.0  #: the kernel counts hundredths
_MOST_PROBED = 64  #: CPUs; each is a process


@dataclass(frozen=True)
class Host:
    """A machine, and the part of it that a measurement may use."""

    cpus: Sequence[Cpu]
    root: Path = Path("/")
    threads: int | None = None  #: most of a run that is planned; None: not known, many
    at_once: int | None = None  #: CPUs that these use; None: all
    wait: Callable[[float], None] = time.sleep
    clock_cost: Callable[[], tuple[float, float]] = engine.clock_cost
    watch: Callable[[Sequence[int], float], Sequence[Gaps] | str] = watch

    @property
    def numbers(self) -> tuple[int, ...]:
        """Of the CPUs, ascending."""
        return tuple(cpu.id for cpu in self.cpus)

    @property
    def used(self) -> int:
        """How many CPUs are busy at once, at most."""
        known = [most for most in (self.threads, self.at_once) if most is not None]
        return min([len(self.cpus), *known])

    def path(self, name: str) -> Path:
        """Of a file below the root."""
        return self.root / name

    def text(self, name: str) -> str | None:
        """Of that file, None where there is none or nothing in it."""
        return text_of(self.path(name))

    def listed(self, name: str) -> tuple[int, ...] | None:
        """The CPUs named in a file of sys/devices/system/cpu."""
        return listed_in(self.path("sys/devices/system/cpu") / name)

    @cached_property
    def usage(self) -> Usage | None:
        """Who used the CPUs while this process did nothing."""
        return over(self.root, lambda: self.wait(_INTERVAL_S))

    @cached_property
    def watched(self) -> tuple[Sequence[Gaps] | str, Usage | None]:
        """How long a busy process on each CPU at once did not run, or why nobody knows; and the
        kernel's account of that time, in which every CPU was wanted."""
        spread = place("scatter", min(len(self.cpus), _MOST_PROBED), self.cpus)
        found: list[Sequence[Gaps] | str] = []
        account = over(self.root, lambda: found.append(self.watch(spread, _PROBE_S)))
        return found[0], account
