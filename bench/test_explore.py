# SPDX-License-Identifier: MIT
"""How fast interleavings are explored, in ns per state: both explorers, on a kernel of ours."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import pytest

from atomics.emulator import kernels
from atomics.emulator.check import RIGHT, check
from atomics.emulator.scenario import scenarios
from atomics.emulator.specification import SPECIFICATIONS

Measure = Callable[[Callable[[], float]], list[float]]
ShowRatio = Callable[[str, list[float]], None]

KERNEL = "dwcas_pair_compare_exchange_acq_rel_llsc"
EXCHANGE = SPECIFICATIONS["compare_exchange"]


def ns_per_state(engine: str, cpus: int) -> float:
    """Of the scenario in which all CPUs contend, torn reads and spurious failures included."""
    begin = perf_counter()
    verdict = check(
        kernels.kernels()[KERNEL].image,
        EXCHANGE,
        cpus=cpus,
        situations=scenarios(EXCHANGE, cpus, 1)[:1],
        engine=engine,
    )
    spent = perf_counter() - begin
    assert verdict.result == RIGHT
    return spent / verdict.explored[0].states * 1e9


@pytest.mark.benchmark(group="ns per state")
@pytest.mark.parametrize(("engine", "cpus"), [("python", 3), ("native", 3), ("native", 4)])
def test_states(engine: str, cpus: int, measure: Measure) -> None:
    measure(lambda: ns_per_state(engine, cpus))


@pytest.mark.benchmark(group="ns per state")
def test_native_against_python(measure: Measure, show_ratio: ShowRatio) -> None:
    """Each round runs both on 3 CPUs; the ratio is printed and in extra_info."""
    ratios: list[float] = []

    def pair() -> float:
        slow, fast = ns_per_state("python", 3), ns_per_state("native", 3)
        ratios.append(fast / slow)
        return fast

    measure(pair)
    show_ratio("native / python explorer", ratios)
