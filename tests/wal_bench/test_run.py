# SPDX-License-Identifier: MIT
"""Carrying out a plan: order, repetition, ends. Windows are real and a millisecond long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby

import pytest

from atomics.topology import read_topology
from tests.wal_bench import made
from wal_bench import engine, run
from wal_bench.errors import EnvironmentUnfit
from wal_bench.findings import Finding
from wal_bench.interrupts import Interrupts
from wal_bench.plan import FIXED_NS, Plan
from wal_bench.run import Cell, Observer, execute
from wal_bench.samples import Sample
from wal_bench.sizes import parse_sizes


def plan(
    *methods: str, threads: tuple[int, ...] = (1, 2), rounds: int = 4, **changes: object
) -> Plan:
    whole = Plan(
        contenders=tuple(made.contender(name) for name in methods or ("spin", "mutex", "cas128")),
        threads=threads,
        sizes=parse_sizes("tpcc"),
        pin="scatter",
        cpus=read_topology(),
        rounds=rounds,
        window_ns=1_000_000,
        seed=3,
        check=False,
        budget_ns=None,
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


@dataclass
class Log(Observer):
    """Remembers everything; raises Ctrl-C after some windows."""

    interrupt_after: int = 10**9
    total: int = 0
    windows: list[tuple[int, int, str]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    stuck_cells: list[tuple[str, Sample]] = field(default_factory=list)

    def started(self, windows: int) -> None:
        self.total = windows

    def window(self, cell: Cell, round_: int) -> None:
        self.windows.append((round_, cell.threads, cell.contender.name))
        if len(self.windows) == self.interrupt_after:
            raise KeyboardInterrupt

    def found(self, cell: Cell, finding: Finding) -> None:
        self.findings.append(finding)

    def stuck(self, cell: Cell, last: Sample) -> None:
        self.stuck_cells.append((cell.contender.name, last))


def test_every_round_runs_each_cell_once_and_methods_side_by_side() -> None:
    log = Log()
    done = execute(plan(), log)
    assert (done.ended, done.rounds_done) == ("complete", 4)
    assert len(log.windows) == log.total == 4 * 2 * 3
    groups = [key for key, _ in groupby(log.windows, key=lambda w: w[:2])]
    assert groups == [(number, threads) for number in range(4) for threads in (1, 2)]
    assert all(
        sorted(name for *_, name in members) == ["cas128", "mutex", "spin"]
        for _, members in groupby(log.windows, key=lambda w: w[:2])
    )
    assert [s.round for cell in done.cells for s in cell.samples] == [0, 1, 2, 3] * 6


def test_the_order_is_shuffled_and_the_seed_fixes_it() -> None:
    logs = [Log(), Log(), Log()]
    for log, seed in zip(logs, (3, 3, 4), strict=True):
        execute(plan(rounds=6, seed=seed), log)
    assert logs[0].windows == logs[1].windows != logs[2].windows
    orders = {
        tuple(name for *_, name in members)
        for _, members in groupby(logs[0].windows, key=lambda w: w[:2])
    }
    assert len(orders) > 1


def test_sizes_and_offsets_follow_the_seed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[engine.WindowPlan] = []
    real = engine.run_window

    def spy(window: engine.WindowPlan) -> engine.Window:
        plans.append(window)
        return real(window)

    monkeypatch.setattr(run.engine, "run_window", spy)
    execute(plan(rounds=1), Observer())
    execute(plan(rounds=1), Observer())
    half = len(plans) // 2
    for first, second in zip(plans[:half], plans[half:], strict=True):
        assert first.sizes.tolist() == second.sizes.tolist()
        assert first.offsets.tolist() == second.offsets.tolist()
    assert len({tuple(p.offsets.tolist()) for p in plans[:half]}) == half


def ticking(step: int) -> Iterator[int]:
    now = 0
    while True:
        yield now
        now += step


def test_no_group_starts_that_would_pass_the_budget() -> None:
    """Each look at this clock costs a second; a group looks twice."""
    clock = ticking(1_000_000_000)
    log = Log()
    done = execute(plan(rounds=50, budget_ns=30_000_000_000), log, clock=lambda: next(clock))
    assert done.ended == "budget"
    assert 1 <= done.rounds_done < 50
    assert done.elapsed_ns + FIXED_NS <= 32_000_000_000
    assert all(len(cell.samples) >= done.rounds_done for cell in done.cells)


def test_without_a_budget_all_rounds_run() -> None:
    clock = ticking(1_000_000_000)
    assert execute(plan(rounds=20), Observer(), clock=lambda: next(clock)).rounds_done == 20


def test_ctrl_c_keeps_what_was_measured() -> None:
    log = Log(interrupt_after=8)
    done = execute(plan(), log)
    assert (done.ended, done.rounds_done) == ("interrupted", 1)
    assert sum(len(cell.samples) for cell in done.cells) == 8


def test_a_signal_that_came_before_the_run_ends_it_at_once() -> None:
    interrupts = Interrupts()
    interrupts.number = 15
    log = Log()
    assert execute(plan(), log, interrupts).ended == "interrupted"
    assert log.windows == []


def test_refused_threads_keep_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    real = engine.run_window

    def refuse(window: engine.WindowPlan) -> engine.Window:
        if len(window.cpus) > 1:
            raise EnvironmentUnfit("threads 2: refused")
        return real(window)

    monkeypatch.setattr(run.engine, "run_window", refuse)
    done = execute(plan(), Observer())
    assert done.ended == "refused"
    assert str(done.refusal) == "threads 2: refused"
    assert [len(cell.samples) for cell in done.cells] == [1, 1, 1, 0, 0, 0]


def test_a_method_without_progress_is_reported_once_and_not_run_again() -> None:
    log = Log()
    done = execute(plan("spin", "broken-stuck", threads=(2,), rounds=3), log)
    assert done.ended == "complete"
    assert [(name, last.counts) for name, last in log.stuck_cells] == [("broken-stuck", (0, 0))]
    assert [len(cell.samples) for cell in done.cells] == [3, 1]
    assert done.cells[1].measured == []
    assert done.cells[0].checked


@pytest.mark.parametrize(
    "name", ["broken-lost-update", "broken-wrong-prev", "broken-torn-pair", "broken-retry-size"]
)
def test_a_wrong_method_is_found(name: str) -> None:
    log = Log()
    done = execute(plan("spin", name, threads=(4,), rounds=8, window_ns=5_000_000), log)
    assert log.findings
    assert [cell.checked for cell in done.cells] == [True, False]


def test_full_histories_come_first_and_cover_every_cell() -> None:
    log = Log()
    done = execute(plan(rounds=1, check=True), log)
    assert [number for number, *_ in log.windows] == [-1] * 6 + [0] * 6
    assert all(cell.history_operations == 20_000 * cell.threads for cell in done.cells)
    assert all(cell.checked for cell in done.cells)


def test_a_history_alone_can_convict() -> None:
    log = Log()
    done = execute(plan("spin", "broken-lost-update", threads=(4,), rounds=1, check=True), log)
    assert done.cells[1].history_findings
    assert not done.cells[1].checked
