# SPDX-License-Identifier: MIT
"""The tables of a run of whole insertions: who is how fast, then gates x method.

One table for each way to flush, as what is worth a column differs: without a flush how far the
watermark lags and how often a gate was taken, with one how commits share flushes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

from rich.table import Table
from rich.text import Text

from wal_bench import page, standings, words
from wal_bench.insert_contenders import CONTROL, STOCK, STOCK_PUBLISH, gates_order
from wal_bench.insert_verdict import InsertVerdict, path_of
from wal_bench.plan import BASELINE
from wal_bench.run import Cell, Run
from wal_bench.standings import Standing
from wal_bench.stats import Estimate


@dataclass(frozen=True)
class _Column:
    title: str
    figure: str
    scale: float = 1.0


_RATE = _Column("\nMrec/s", "ops_per_s", 1e-6)
_LAG = _Column("lag\nKiB", "lag_mean_bytes", 2**-10)
_GATE = _Column("gate\nwaits", "gate_waits_per_op")
_CPU = _Column("CPU\nns/op", "cpu_ns_per_op")
_BATCH = _Column("commits\n/flush", "commits_per_flush")
_WAIT = _Column("wait\nus", "commit_wait_mean_ns", 1e-3)


def _figures(flush: str, publish: bool) -> tuple[_Column, ...]:
    if flush:
        return (_BATCH, _WAIT) if publish else (_BATCH, _WAIT, _CPU)
    return (_LAG, _CPU) if publish else (_LAG, _GATE, _CPU)


def _varies(run: Run, of: Callable[[Cell], object]) -> bool:
    return len({of(cell) for cell in run.cells}) > 1


def _publish(cell: Cell) -> str:
    return path_of(cell).insert.publish


def _gates(cell: Cell) -> int:
    return path_of(cell).insert.gates


def _row(
    cell: Cell, base: Cell, figures: tuple[_Column, ...], publish: bool, won: bool
) -> list[Text]:
    named = cell is base or cell.contender.control
    name = cell.contender.name if named else cell.contender.method.name
    ratio = None if cell is base else standings.ratio(cell, base)
    texts = [
        f" {name}{'*' if won else ''}",
        str(_gates(cell) or "none"),
        *([_publish(cell)] if publish else []),
        _plain(cell, _RATE),
        page.bracketed(ratio),
        *(_plain(cell, column) for column in figures),
    ]
    style = "bold green" if won else "bold" if cell is base else ""
    style = style if cell.contender.rival else "dim"
    return [Text(text, style=style) for text in texts]


def _plain(cell: Cell, column: _Column) -> str:
    return page.plain(standings.figures(cell, column.figure), column.scale)


def _rates(run: Run, places: list[Standing]) -> Table:
    publish = _varies(run, _publish)
    figures = _figures(places[0].heat.flush, publish)
    table = page.table(
        ["", "gates", *(["publish"] if publish else [])],
        [_RATE.title, "times stock\n[interval]", *(column.title for column in figures)],
    )
    table.columns[1].justify = "right"
    for place in places:
        base = run.base(place.heat)
        table.add_row(Text(place.heat.text, style="bold"))
        for cell in run.at(place.heat):
            won = cell.contender.name in place.winners
            table.add_row(*_row(cell, base, figures, publish, won))
        table.add_section()
    return table


def _matrix(run: Run) -> Table:
    """Median ratios to stock PostgreSQL: a row per method, a column per number of gates."""
    gates = sorted({_gates(cell) for cell in run.cells}, key=gates_order)
    publishers = list(dict.fromkeys(_publish(cell) for cell in run.cells))
    table = page.table(["times stock,\nby gates"], [f"\n{number or 'none'}" for number in gates])
    for heat in run.plan.heats:
        for publish in publishers:
            name = f", {publish}" if len(publishers) > 1 else ""
            table.add_row(Text(heat.text + name, style="bold"))
            cells = [c for c in run.at(heat) if _publish(c) == publish and not c.contender.control]
            for row in _matrix_rows(cells, run.base(heat), gates):
                table.add_row(*row)
            table.add_section()
    return table


def _matrix_rows(cells: list[Cell], base: Cell, gates: list[int]) -> list[list[Text]]:
    values: dict[tuple[str, int], Estimate | None] = {
        (cell.contender.method.name, _gates(cell)): standings.ratio(cell, base) for cell in cells
    }
    most = max((v.median for v in values.values() if v is not None), default=0.0)
    rows = []
    for method in dict.fromkeys(name for name, _ in values):
        row = [Text(f" {method}")]
        for number in gates:
            value = values.get((method, number))
            text = page.NONE if value is None else page.share(value.median)
            best = value is not None and value.median == most
            row.append(Text(text, style="bold green" if best else ""))
        rows.append(row)
    return rows


def render(run: Run, found: InsertVerdict, stream: TextIO | None) -> str:
    """Tables, legend and verdict, made for that stream (its encoding, whether it is a terminal)."""
    flushes = dict.fromkeys(heat.flush for heat in run.plan.heats)
    tables = [
        _rates(run, [place for place in found.judged.standings if place.heat.flush == flush])
        for flush in flushes
    ]
    return page.render([*tables, _matrix(run)], _legend(run), found.judged.lines, stream)


def _legend(run: Run) -> str:
    shared = path_of(run.cells[0]).insert
    copied = "records are copied" if shared.copy else "nothing is copied"
    return (
        f"{STOCK}: {BASELINE}, 8 gates, {STOCK_PUBLISH}; {CONTROL}: the same, measured twice. "
        "* wins, or does not differ from what "
        f"wins. Medians of {words.count(run.plan.rounds, 'round')}; ratios of pairs within a "
        f"round. Record sizes: {run.plan.sizes.name}; {copied}. '-': no meaning there."
    )
