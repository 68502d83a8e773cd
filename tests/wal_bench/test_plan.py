# SPDX-License-Identifier: MIT
"""Fitting a run into its budget. The time estimate is compared with a plain sum."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomics.topology import Cpu
from tests.wal_bench import made
from wal_bench import engine
from wal_bench.errors import UsageError
from wal_bench.plan import (
    COMPARED,
    DEFAULT_BUDGET_NS,
    DEFAULT_ROUNDS,
    FEWEST_ROUNDS,
    GOOD_ROUNDS,
    GOOD_WINDOW_NS,
    LONGEST_WINDOW_NS,
    SHORTEST_WINDOW_NS,
    Plan,
    fit,
)
from wal_bench.sizes import parse_sizes

SECOND = 10**9
ROWS = tuple(made.contender(m.name) for m in engine.methods() if m.kind in COMPARED)


def undecided(threads: tuple[int, ...] = (1, 2, 4, 8, 16), cpus: int = 2) -> Plan:
    return Plan(
        contenders=ROWS,
        threads=threads,
        sizes=parse_sizes("tpcc"),
        pin="scatter",
        cpus=tuple(Cpu(n, 0, (0, n), 0) for n in range(cpus)),
        rounds=0,
        window_ns=0,
        seed=1,
        check=False,
        budget_ns=None,
    )


def test_the_default_plan_fills_a_minute_and_stays_within() -> None:
    plan = fit(undecided(), None, None, None)
    assert 0.9 * DEFAULT_BUDGET_NS < plan.estimate_ns <= DEFAULT_BUDGET_NS == 60 * SECOND
    assert GOOD_ROUNDS <= plan.rounds <= DEFAULT_ROUNDS
    assert plan.window_ns >= GOOD_WINDOW_NS


def test_the_default_plan_of_a_large_machine_stays_within_a_minute() -> None:
    threads = tuple(2**n for n in range(11))
    plan = fit(undecided(threads, cpus=128), None, None, None)
    assert plan.estimate_ns <= DEFAULT_BUDGET_NS
    assert plan.rounds >= 7
    assert plan.window_ns >= SHORTEST_WINDOW_NS


@given(
    budget=st.integers(SECOND, 600 * SECOND),
    rounds=st.none() | st.integers(1, 40),
    window=st.none() | st.integers(1_000_000, SECOND),
    top=st.integers(0, 8),
)
def test_what_is_asked_for_is_kept_or_refused(
    budget: int, rounds: int | None, window: int | None, top: int
) -> None:
    asked = undecided(tuple(2**n for n in range(top + 1)))
    smallest = replace(
        asked, rounds=rounds or FEWEST_ROUNDS, window_ns=window or SHORTEST_WINDOW_NS
    )
    if smallest.estimate_ns > budget:
        with pytest.raises(UsageError, match="ask for that budget"):
            fit(asked, rounds, window, budget)
        return
    plan = fit(asked, rounds, window, budget)
    assert plan.estimate_ns <= budget == plan.budget_ns
    assert plan.rounds == rounds or (rounds is None and 3 <= plan.rounds <= DEFAULT_ROUNDS)
    assert plan.window_ns == window or (
        window is None and SHORTEST_WINDOW_NS <= plan.window_ns <= LONGEST_WINDOW_NS
    )


def test_the_window_is_the_longest_that_fits() -> None:
    plan = fit(undecided(), 5, None, 30 * SECOND)
    longer = replace(plan, window_ns=plan.window_ns + 1_000_000)
    assert plan.estimate_ns <= 30 * SECOND < longer.estimate_ns


def test_more_than_the_default_budget_may_be_asked_for() -> None:
    plan = fit(undecided(), 100, SECOND, None)
    assert (plan.rounds, plan.window_ns, plan.budget_ns) == (100, SECOND, None)
    assert plan.estimate_ns > 100 * 30 * SECOND


def test_the_estimate_grows_with_everything_that_takes_time() -> None:
    base = fit(undecided(), None, None, None)
    for longer in (
        replace(base, rounds=base.rounds + 1),
        replace(base, window_ns=base.window_ns + 1_000_000),
        replace(base, threads=(*base.threads, 32)),
        replace(base, check=True),
    ):
        assert longer.estimate_ns > base.estimate_ns


def test_windows_alone_are_a_lower_bound_of_the_estimate() -> None:
    plan = fit(undecided(), None, None, None)
    assert plan.estimate_ns > plan.rounds * plan.cells * (plan.window_ns + plan.warmup_ns)
