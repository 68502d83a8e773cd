# SPDX-License-Identifier: MIT
"""The tables of a run: ratios with their intervals, then every figure of every cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wal_bench import words
from wal_bench.page import digits, share
from wal_bench.report import measures
from wal_bench.report.measures import Measure
from wal_bench.report.said import flush_text, heat_text
from wal_bench.run_file import Heat, Result, RunFile
from wal_bench.stats import Estimate


@dataclass(frozen=True)
class Value:
    """A number of the JSON, and as it is shown."""

    at: str
    value: float
    text: str


@dataclass(frozen=True)
class Cell:
    """A figure, with its interval if there is room; None: it has no meaning there."""

    middle: Value | None
    low: Value | None = None
    high: Value | None = None
    best: bool = False  #: it wins there


@dataclass(frozen=True)
class Row:
    """A contender and its figures."""

    name: str
    cells: tuple[Cell, ...]
    first: bool = False  #: it wins somewhere in the table


@dataclass(frozen=True)
class Table:
    """One of them."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def _ratio(result: Result | None, run: RunFile, wins: set[tuple[str, Heat]]) -> Cell:
    figure = result and result.figures.get(run.ratio)
    if not result or not figure:
        return Cell(None)
    at = f"{result.at}/{run.ratio}"
    middle, low, high = (
        Value(f"{at}/{end}", value, share(value))
        for end, value in (("median", figure.median), ("low", figure.low), ("high", figure.high))
    )
    return Cell(middle, low, high, best=(result.name, result.heat) in wins)


def _wins(run: RunFile) -> set[tuple[str, Heat]]:
    return {(name, place.heat) for place in run.verdict.standings for name in place.winners}


def ratios(run: RunFile) -> list[Table]:
    """One for each way to flush: contenders x threads."""
    wins = _wins(run)
    measure = measures.RATIO_STOCK if run.inserts else measures.RATIO_SPIN
    found = []
    for flush in run.flushes:
        heats = [heat for heat in run.heats if heat.flush == flush]
        rows = []
        for name in run.names:
            cells = tuple(_ratio(run.result(name, heat), run, wins) for heat in heats)
            rows.append(Row(name, cells, any(cell.best for cell in cells)))
        way = f", {flush_text(flush)}" if len(run.flushes) > 1 else ""
        columns = tuple(words.count(heat.threads, "thread") for heat in heats)
        found.append(Table(f"{measure.title}{way}", columns, tuple(rows)))
    return found


def _plain(at: str, figure: Estimate | None, scale: float = 1.0) -> Cell:
    if figure is None:
        return Cell(None)
    return Cell(Value(f"{at}/median", figure.median, digits(figure.median * scale)))


def _columns(cells: Sequence[Result], known: Sequence[Measure]) -> list[Measure]:
    """Those that a cell has a figure of."""
    return [one for one in known if any(one.key in cell.figures for cell in cells)]


def _row(result: Result, columns: Sequence[Measure], quantiles: Sequence[str], first: bool) -> Row:
    cells = [
        _plain(f"{result.at}/{one.key}", result.figures.get(one.key), one.scale) for one in columns
    ]
    cells += [
        _plain(f"{result.at}/latency_ns/{name}", result.latency.get(name)) for name in quantiles
    ]
    cells.append(Cell(Value(f"{result.at}/windows", result.windows, str(result.windows))))
    return Row(result.name, tuple(cells), first)


def figures(run: RunFile) -> list[Table]:
    """One for each heat: contenders x figures."""
    found = []
    for heat in run.heats:
        cells = [one for one in run.results if one.heat == heat]
        columns = _columns(cells, measures.INSERT if run.inserts else measures.RUN)
        quantiles = [name for name in measures.LATENCY if any(name in c.latency for c in cells)]
        winners = {name for name, where in _wins(run) if where == heat}
        titles = [one.unit for one in columns] + [measures.LATENCY[name] for name in quantiles]
        rows = tuple(_row(one, columns, quantiles, one.name in winners) for one in cells)
        found.append(Table(heat_text(heat, run), (*titles, "windows"), rows))
    return found
