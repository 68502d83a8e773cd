# SPDX-License-Identifier: MIT
"""A ball between two CPUs: what it takes is the machine's doing alone, and hardly varies.

It is passed before each race. Where it took clearly longer or shorter than usual, something else
about the machine had changed as well: a neighbour, a frequency, where a virtual CPU lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, log
from statistics import median

from atomics._native import lib
from atomics.topology import Cpu
from wal_bench.placement import place

#: Moved by more than this factor. Measured on 2 virtual CPUs with others at work: 95 % of 400
#: readings were within 1.18 of their median, and 4 % beyond this.
MOVED = 1.25


def pair(cpus: Sequence[Cpu]) -> tuple[int, int] | None:
    """The two CPUs, as far apart as threads are scattered; None where there is only one."""
    if len(cpus) < 2:
        return None
    first, second = place("scatter", 2, cpus)
    return first, second


def reading(between: tuple[int, int]) -> float | None:
    """ns for one hand-off, over 6,000 of them (0.2 ms); None if the ball was not returned."""
    found = float(lib.dwcas_cost_handoff(False, *between))
    return None if isnan(found) else found


def moved(readings: Sequence[float]) -> list[bool]:
    """Which of them are further than MOVED from the median of all."""
    if not readings:
        return []
    usual = median(readings)
    return [abs(log(one / usual)) > log(MOVED) for one in readings]
