# SPDX-License-Identifier: MIT
"""Runs made up from given rates, for tests of what is said about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from atomics.topology import Cpu
from wal_bench import engine
from wal_bench.contender import Contender
from wal_bench.findings import Finding
from wal_bench.plan import BASELINE, CONTROL, Plan
from wal_bench.run import Cell, Run
from wal_bench.samples import Sample
from wal_bench.sizes import parse_sizes

Rates = Mapping[int, Mapping[str, Sequence[float]]]  #: threads -> method -> Mops/s per round


def sample(round_: int, mops: float, status: str = "ok", **changes: object) -> Sample:
    figures = {
        "ops_per_s": mops * 1e6,
        "ns_per_op": 1e3 / mops,
        "retries_per_op": 0.5,
        "cpu_ns_per_op": 2e3 / mops,
    }
    values: dict[str, object] = {
        "round": round_,
        "status": status,
        "figures": figures if status == "ok" else {},
        "latency_ns": {"p50": 5.0, "p90": 6.0, "p99": 7.0, "p999": 8.0, "max": 9.0},
        "findings": (),
        "disturbed": None,
        "counts": (3, 4),
    }
    return Sample(**(values | changes))  # type: ignore[arg-type]


def finding() -> Finding:
    return Finding("tile", "record starts at 8, the one before ends at 16")


def contender(name: str) -> Contender:
    if name == CONTROL:
        return Contender(engine.method(BASELINE), name, control=True)
    return Contender(engine.method(name), name, name == BASELINE)


def run(rates: Rates, ended: str = "complete") -> Run:
    names = list(next(iter(rates.values())))
    rounds = max(len(values) for cells in rates.values() for values in cells.values())
    plan = Plan(
        contenders=tuple(contender(name) for name in names),
        threads=tuple(rates),
        sizes=parse_sizes("tpcc"),
        pin="scatter",
        cpus=(Cpu(0, 0, (0, 0), None), Cpu(1, 0, (0, 1), None)),
        rounds=rounds,
        window_ns=50_000_000,
        seed=7,
        check=False,
        budget_ns=60_000_000_000,
    )
    cells = [
        Cell(
            contender(name),
            threads,
            [sample(number, mops) for number, mops in enumerate(values)],
        )
        for threads, methods in rates.items()
        for name, values in methods.items()
    ]
    return Run(plan, cells, ended, rounds_done=rounds, elapsed_ns=1_000_000_000)
