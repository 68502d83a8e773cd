# SPDX-License-Identifier: MIT
"""What is said of gates, methods and stock PostgreSQL, worked out by hand from given rates."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.wal_bench import made
from tests.wal_bench.schemas import validated
from wal_bench import insert_result, insert_table, machine, result
from wal_bench.contender import Heat
from wal_bench.engine import method
from wal_bench.flush import flush
from wal_bench.insert import InsertPlan
from wal_bench.insert_contenders import contenders
from wal_bench.insert_verdict import InsertVerdict, verdict
from wal_bench.plan import Plan
from wal_bench.run import Cell, Run

Rates = dict[tuple[str, int], list[float]]  #: (method, gates) -> Mops/s per round


def around(mops: float) -> list[float]:
    """Seven rounds within one percent."""
    return [mops * (1 + 0.003 * (n % 3 - 1)) for n in range(7)]


def run(rates: Rates, flushes: tuple[str, ...] = ("none",), threads: int = 8) -> Run:
    ways = contenders(
        [method(name) for name in dict.fromkeys(name for name, _ in rates)],
        list(dict.fromkeys(gates for _, gates in rates)),
        ["inserting-at"],
        [(flush(name), None if name == "none" else Path("/"), 0) for name in flushes],
        InsertPlan(),
    )
    cells = []
    for one in ways:
        assert one.path is not None
        values = rates[one.method.name, one.path.insert.gates]
        samples = [made.sample(number, mops) for number, mops in enumerate(values)]
        cells.append(Cell(one, threads, samples))
    plan = made.run({threads: {"spin": around(1)}}).plan
    whole = Plan(**{**plan.__dict__, "contenders": ways, "rounds": 7})
    return Run(whole, cells, "complete", rounds_done=7, elapsed_ns=10**9)


#: Behind one gate nothing helps; behind eight a little; without gates a lot.
USUAL: Rates = {
    ("spin", 1): around(8),
    ("cas128", 1): around(8),
    ("spin", 8): around(10),
    ("cas128", 8): around(11),
    ("spin", 0): around(6),
    ("cas128", 0): around(30),
}


def said(found: InsertVerdict, subject: str) -> str:
    return next(
        line.partition(": ")[2] for line in found.judged.lines if line.startswith(subject + ": ")
    )


def test_ratios_are_to_stock_postgresql_and_the_fastest_wins() -> None:
    found = verdict(run(USUAL))
    (place,) = found.judged.standings
    assert place.winners == ("cas128 without gates",)
    assert place.ratio is not None
    assert place.ratio.median == pytest.approx(3.0)
    assert said(found, "8 threads").startswith(
        "cas128 without gates wins, 3.00 [3.00, 3.00] times stock PostgreSQL; "
        "next cas128 behind 8 gates at 0.37"
    )


def test_where_a_method_pays_is_asked_behind_the_same_gates() -> None:
    found = verdict(run(USUAL))
    assert [(one.gates, one.best, one.pays) for one in found.behind] == [
        (1, "cas128", False),
        (8, "cas128", True),
        (0, "cas128", True),
    ]
    assert found.pays_from(Heat(8), "inserting-at") == 8
    assert said(found, "1 gate") == (
        "no method beats spin; the best is cas128, 1.00 [1.00, 1.00] times spin"
    )
    assert said(found, "8 gates") == "cas128 1.10 [1.10, 1.10] times spin with 8 threads"
    assert said(found, "no gates") == "cas128 5.00 [5.00, 5.00] times spin with 8 threads"


def test_it_must_pay_at_every_larger_number_of_gates() -> None:
    only_eight = verdict(run(USUAL | {("cas128", 0): around(5)}))
    assert only_eight.pays_from(Heat(8), "inserting-at") is None
    only_none = verdict(run(USUAL | {("cas128", 8): around(9)}))
    assert only_none.pays_from(Heat(8), "inserting-at") == 0


def test_each_flush_has_a_stock_of_its_own() -> None:
    made_run = run(USUAL, ("none", "tmpfs"))
    for cell in made_run.cells:
        if cell.contender.flush == "tmpfs":
            cell.samples[:] = [made.sample(n, 2.0) for n in range(7)]
    found = verdict(made_run)
    by_heat = {place.heat.text: place for place in found.judged.standings}
    assert list(by_heat) == ["8 threads", "8 threads, tmpfs"]
    assert len(by_heat["8 threads, tmpfs"].winners) == 6
    assert "stock PostgreSQL" in by_heat["8 threads, tmpfs"].winners
    assert said(found, "8 threads, tmpfs") == (
        "no difference between stock PostgreSQL, spin behind 1 gate, cas128 behind 1 gate "
        "and 3 more"
    )


def test_one_method_alone_says_nothing_of_methods() -> None:
    found = verdict(run({("spin", 8): around(10), ("spin", 1): around(9)}))
    assert found.behind == ()
    assert found.judged.standings[0].winners == ("stock PostgreSQL",)


def test_the_table_has_all_and_fits() -> None:
    names = ("spin", "cas128-backoff", "flat-combining", "cas64-seeded")
    gates = (1, 2, 4, 8, 16, 32, 64, 128, 0)
    made_run = run({(name, g): around(123.4) for name in names for g in gates}, ("none", "tmpfs"))
    found = verdict(made_run)
    text = insert_table.render(made_run, found, io.StringIO())
    assert max(map(len, text.splitlines())) < 80
    assert "…" not in text
    rates, _, matrix = text.partition("by gates")
    for name in names:
        # Of spin behind 8 gates the row is called stock PostgreSQL.
        ways = 2 * len(gates) - 2 * (name == "spin")
        assert sum(line.split()[:1] == [f"{name}*"] for line in rates.splitlines()) == ways
        row = [name, *["1.00"] * len(gates)]
        assert sum(line.split() == row for line in matrix.splitlines()) == 2
    record = machine.record(made_run.plan.cpus) | {"load_after": 0.5}
    document = validated(result.dumps(insert_result.document(made_run, found, record)))
    assert len(document["results"]) == 2 * len(names) * len(gates)
    assert document["verdict"]["method_pays_from"][0]["ever"] is False


def test_the_matrix_holds_median_ratios_to_stock() -> None:
    made_run = run(USUAL)
    text = insert_table.render(made_run, verdict(made_run), io.StringIO())
    rows = [line.split() for line in text.partition("by gates")[2].splitlines()]
    assert ["spin", "0.80", "1.00", "0.60"] in rows
    assert ["cas128", "0.80", "1.10", "3.00"] in rows
