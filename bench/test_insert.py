# SPDX-License-Identifier: MIT
"""Whole insertions side by side, grouped by thread count; each window is verified.

The baseline, spin behind 8 gates published by inserting-at, is stock PostgreSQL. Nothing is
flushed here: `wal-bench insert --flush` compares that.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from wal_bench import engine, insert, oracle
from wal_bench.insert import InsertPlan
from wal_bench.insert_contenders import TELLING

CPUS = len(os.sched_getaffinity(0))
THREADS = sorted({1, 2, CPUS, 8 * CPUS})
PUBLISH = [row.name for row in insert.publishers() if not row.broken]


@pytest.mark.parametrize("method", TELLING)
@pytest.mark.parametrize("publish", PUBLISH)
@pytest.mark.parametrize("gates", [1, 8, 0])
@pytest.mark.parametrize("threads", THREADS)
def test_insert(
    method: str,
    publish: str,
    gates: int,
    threads: int,
    measure: Callable[[Callable[[], float]], list[float]],
    window: Callable[[str, int, InsertPlan | None], engine.Window],
    benchmark: BenchmarkFixture,
) -> None:
    benchmark.group = f"insert, {threads} threads"
    plan = InsertPlan(gates=gates, publish=publish)
    windows: list[engine.Window] = []

    def one() -> float:
        windows.append(window(method, threads, plan))
        assert oracle.check_window(windows[-1], links=True) == []
        return windows[-1].window_ns / max(windows[-1].ops, 1)

    measure(one)
    done = [w.insert for w in windows if w.insert is not None]
    ops = max(sum(int(w.threads["total_ops"].sum()) for w in windows), 1)
    benchmark.extra_info |= {
        "method": method,
        "threads": threads,
        "gates": gates or None,
        "publish": publish,
        "gate_waits_per_op": sum(d.gate_waits for d in done) / ops,
        "page_waits_per_op": sum(d.page_waits for d in done) / ops,
        "lag_max_bytes": max(d.lag_max for d in done),
    }
