# SPDX-License-Identifier: MIT
"""Which windows enter no figure, on made-up runs; and what is told after many such runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.wal_bench import made
from wal_bench import canary
from wal_bench.aside import CANARY, DISTURBED, set_aside
from wal_bench.contender import Heat
from wal_bench.run import Run
from wal_bench.standings import ratio
from wal_bench.verdict import verdict

TEN = [10.0] * 10


def with_canary(run: Run, ns: list[float]) -> Run:
    for heat in run.plan.heats:
        run.canary.update({(number, heat): one for number, one in enumerate(ns)})
    return run


def disturb(run: Run, cell: int, rounds: list[int]) -> None:
    samples = run.cells[cell].samples
    for number in rounds:
        samples[number] = replace(samples[number], disturbed="a thread waited")


def test_races_beside_a_canary_that_moved_do_not_count() -> None:
    slow = [10.0] * 8 + [1.0, 90.0]
    run = made.run({1: {"spin": slow, "cas128": TEN}, 2: {"spin": TEN, "cas128": TEN}})
    readings = {(n, Heat(1)): 80.0 if n in (8, 9) else 50.0 + n % 3 for n in range(10)}
    run.canary.update(readings | {(n, Heat(2)): 50.0 for n in range(10)})
    set_aside(run)
    assert [cell.aside for cell in run.cells] == [{8: CANARY, 9: CANARY}] * 2 + [{}] * 2
    value = ratio(run.cells[1], run.cells[0])
    assert value is not None
    assert (value.low, value.high, value.n) == (1.0, 1.0, 8)
    lines = verdict(run).judged.lines
    assert "set aside: of 40 windows 4 that lay beside a canary that moved" in lines


def test_a_faster_canary_has_moved_too() -> None:
    assert canary.moved([50.0, 50.0, 50.0, 39.0, 41.0, 62.0, 63.0]) == [
        False, False, False, True, False, False, True,
    ]  # fmt: skip
    assert canary.moved([]) == []


def test_disturbed_windows_do_not_count_and_pairs_lose_them_too() -> None:
    run = made.run({1: {"spin": [10.0] * 9 + [1.0], "cas128": TEN}})
    disturb(run, 0, [9])
    set_aside(run)
    assert [cell.aside for cell in run.cells] == [{9: DISTURBED}, {}]
    value = ratio(run.cells[1], run.cells[0])
    assert value is not None
    assert (value.high, value.n) == (1.0, 9)
    assert "set aside: of 20 windows 1 that lost CPU time" in verdict(run).judged.lines


def test_what_befalls_most_windows_of_a_cell_is_no_exception() -> None:
    run = made.run({1: {"spin": TEN, "cas128": TEN}})
    disturb(run, 1, [0, 1, 2, 3, 4, 5])
    set_aside(run)
    assert run.cells[1].aside == {}
    lines = verdict(run).judged.lines
    assert "disturbance: 6 of 20 windows lost CPU time to something else" in lines
    assert not [line for line in lines if line.startswith("set aside")]


def test_one_cpu_has_no_canary() -> None:
    cpus = made.run({1: {"spin": TEN}}).plan.cpus
    assert canary.pair(cpus) == (0, 1)
    assert canary.pair(cpus[:1]) is None


@pytest.mark.parametrize(
    ("factor", "said"), [(1.0, {"spin", "cas128"}), (0.9, {"spin"}), (1 / 0.9, {"cas128"})]
)
def test_a_hundred_runs_tell_ten_percent_and_nothing_else(factor: float, said: set[str]) -> None:
    """Rounds drift together by a third; each window varies by 4 % of its own (log-normal). Of 100
    runs at most 5 may see a difference that is none, or miss one of a tenth in 10."""
    rng, right = np.random.default_rng(5), 0
    for _ in range(100):
        drift = np.exp(0.3 * np.sin(np.arange(15) / 3 + rng.uniform(0, 6)))

        def rates(mops: float, drift: np.ndarray = drift) -> list[float]:
            own = np.exp(0.04 * rng.standard_normal(15))
            return [float(one) for one in mops * drift * own]

        found = verdict(
            made.run(
                {2: {"spin": rates(10), "cas128": rates(10 * factor), "spin again": rates(10)}}
            )
        )
        right += set(found.judged.standings[0].winners) == said
    assert right >= (95 if factor == 1.0 else 90)
