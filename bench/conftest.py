# SPDX-License-Identifier: MIT
"""Feeds the engine's own windows to pytest-benchmark.

A virtual clock is the benchmark's timer: a round advances it by what the engine measured, so
that thread start-up and Python are outside every figure. One round = the time of a million
operations, which keeps rounds of different length comparable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from atomics import topology
from atomics.estimates import estimate
from wal_bench import engine, placement, sizes
from wal_bench.insert import InsertPlan
from wal_bench.insert_path import inserting

OPERATIONS = 1_000_000
WINDOW_NS = 50_000_000


class VirtualClock:
    """Seconds that advance only when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def virtual_clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def benchmark(benchmark: BenchmarkFixture, virtual_clock: VirtualClock) -> BenchmarkFixture:
    benchmark._timer = virtual_clock
    return benchmark


@pytest.fixture
def window() -> Callable[[str, int, InsertPlan | None], engine.Window]:
    """Run one window of a method with TPC-C sizes, threads placed as `wal-bench run` does; with a
    plan of whole insertions around it."""
    rng = np.random.default_rng(1)
    table = sizes.parse_sizes("tpcc").table(4096, rng)

    def run(method: str, threads: int, insert: InsertPlan | None = None) -> engine.Window:
        cpus = placement.place("scatter", threads, topology.read_topology())
        offsets = rng.integers(0, table.size, threads).astype(np.uint32)
        plan = engine.WindowPlan(method, cpus, table, offsets, window_ns=WINDOW_NS)
        return engine.run_window(inserting(plan, insert))

    return run


@pytest.fixture
def measure(
    benchmark: BenchmarkFixture, virtual_clock: VirtualClock
) -> Callable[[Callable[[], float]], list[float]]:
    """Benchmark a function that returns ns per operation; gives the rounds back."""

    def run(ns_per_op: Callable[[], float]) -> list[float]:
        rounds: list[float] = []

        def one_round() -> None:
            rounds.append(ns_per_op())
            virtual_clock.now += rounds[-1] * 1e-9 * OPERATIONS

        benchmark.pedantic(one_round, rounds=7, iterations=1, warmup_rounds=1)
        info: dict[str, Any] = benchmark.extra_info
        info["schema"] = "dwcas.bench/1"
        info["operations_per_round"] = OPERATIONS
        return rounds

    return run


@pytest.fixture
def show_ratio(
    benchmark: BenchmarkFixture, capsys: pytest.CaptureFixture[str]
) -> Callable[[str, list[float]], None]:
    """Print the median of ratios taken in pairs, with its interval, and keep it in extra_info."""

    def show(name: str, ratios: list[float]) -> None:
        found = estimate(ratios)
        benchmark.extra_info["ratio"] = round(found.median, 4)
        if benchmark.enabled:
            with capsys.disabled():
                print(f"\n{name}: {found.median:.3f} [{found.low:.3f}, {found.high:.3f}]")

    return show
