# SPDX-License-Identifier: MIT
"""Every reservation method side by side, grouped by thread count; each window is verified."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from wal_bench import engine, oracle
from wal_bench.plan import COMPARED

CPUS = len(os.sched_getaffinity(0))
METHODS = [m.name for m in engine.methods() if m.kind in COMPARED]
THREADS = sorted({1, 2, CPUS, 8 * CPUS})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("threads", THREADS)
def test_reservation(
    method: str,
    threads: int,
    measure: Callable[[Callable[[], float]], list[float]],
    window: Callable[[str, int], engine.Window],
    benchmark: BenchmarkFixture,
) -> None:
    benchmark.group = f"reservation, {threads} threads"
    windows: list[engine.Window] = []

    def one() -> float:
        windows.append(window(method, threads))
        assert oracle.check_window(windows[-1], engine.method(method).links) == []
        # A lock that serves in order may be at one window with nothing done.
        return windows[-1].window_ns / max(windows[-1].ops, 1)

    measure(one)
    ops = max(sum(w.ops for w in windows), 1)
    benchmark.extra_info |= {
        "method": method,
        "threads": threads,
        "ops": ops,
        "retries_per_op": sum(int(w.threads["retries"].sum()) for w in windows) / ops,
    }
