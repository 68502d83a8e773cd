# SPDX-License-Identifier: MIT
"""The table of a run of methods."""

from __future__ import annotations

from typing import TextIO

from rich.table import Table
from rich.text import Text

from wal_bench import page, standings
from wal_bench.plan import BASELINE, CONTROL
from wal_bench.run import Cell, Run
from wal_bench.standings import Standing
from wal_bench.verdict import Verdict

_COLUMNS = (
    "\nMops/s",
    f"times {BASELINE}\n[interval]",
    "times bound\n[interval]",
    "fails\n/op",
    "CPU\nns/op",
)


def _ratio(cell: Cell, other: Cell | None) -> str:
    return page.bracketed(None if other in (None, cell) else standings.ratio(cell, other))


def _row(cell: Cell, base: Cell, bound: Cell | None, won: bool) -> list[Text]:
    style = "bold green" if won else "" if cell.contender.rival else "dim"
    texts = [
        f" {cell.contender.name}{'*' if won else ''}",
        page.plain(standings.figures(cell, "ops_per_s"), 1e-6),
        _ratio(cell, base),
        _ratio(cell, bound),
        page.plain(standings.figures(cell, "retries_per_op")),
        page.plain(standings.figures(cell, "cpu_ns_per_op")),
    ]
    return [Text(text, style=style) for text in texts]


def _group(table: Table, run: Run, place: Standing) -> None:
    cells = run.at(place.heat)
    base, bound = run.base(place.heat), run.bound(place.heat)
    table.add_row(Text(place.heat.text, style="bold"))
    for cell in cells:
        table.add_row(*_row(cell, base, bound, cell.contender.name in place.winners))
    table.add_section()


def render(run: Run, found: Verdict, stream: TextIO | None) -> str:
    """Table, legend and verdict, made for that stream (its encoding, whether it is a terminal)."""
    table = page.table([""], _COLUMNS)
    for place in found.judged.standings:
        _group(table, run, place)
    return page.render([table], _legend(run), found.judged.lines, stream)


def _legend(run: Run) -> str:
    plan = run.plan
    return (
        f"* wins, or does not differ from what wins. Medians of {run.plan.rounds} rounds; "
        f"ratios of pairs within a round. Record sizes: {plan.sizes.name}. '-': no meaning there. "
        f"faa-bound returns no prev link and cannot win. {CONTROL}: the same, measured twice."
    )
