# SPDX-License-Identifier: MIT
"""All drawings of a run, in the order of the page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wal_bench import words
from wal_bench.insert_contenders import gates_order
from wal_bench.report import cast, dots, heat_map, lines, measures
from wal_bench.report.drawing import Mark, Plot
from wal_bench.report.lines import Point, Scale, Series
from wal_bench.report.measures import Measure
from wal_bench.report.palette import Style
from wal_bench.report.said import figure_text, flush_text, heat_text
from wal_bench.run_file import QUANTILES, Heat, Result, RunFile
from wal_bench.samples import PERCENTILES

_LATENCY = (
    "Lower is better. How long single calls took, some of them timed; one that leaps at the end "
    "let few wait, but long. Thin lines are intervals."
)
_HEAT_MAP = (
    "Throughput as a multiple of stock PostgreSQL's with as many threads: blue is faster, red is "
    "slower, bold is sure."
)
_MOST_NAMED = 8  #: of those in grey

#: Where quantiles are drawn: one step for each nine, and the largest a step behind the last.
_PLACES = {name: -math.log10(1 - share) for name, share in PERCENTILES.items()}
_PLACES |= {"max": max(_PLACES.values()) + 0.7}


@dataclass(frozen=True)
class Group:
    """Drawings of one way to flush."""

    title: str
    plots: tuple[Plot, ...]
    empty: tuple[str, ...]  #: titles of what no cell has a figure of


def _rest(series: Sequence[Series], drawn: Sequence[Series]) -> str:
    """What is said of those that have no colour."""
    grey = [one.name for one in drawn if one.there and not one.style.leads]
    left = sum(bool(one.there) for one in series) - sum(bool(one.there) for one in drawn)
    if left:
        return f" {words.count(left, 'other')}: see the tables."
    if len(grey) > _MOST_NAMED:
        return f" Grey: {len(grey)} others, see the tables."
    return f" Grey: {words.listed(grey)}." if grey else ""


def _figures(
    run: RunFile, styles: Mapping[str, Style], flush: str, measure: Measure
) -> Plot | None:
    """One figure of all contenders against threads."""

    def point(name: str, threads: int) -> Point | None:
        result = run.result(name, Heat(threads, flush))
        figure = result and result.figures.get(measure.key)
        if not result or not figure:
            return None
        said = figure_text(result, figure, measure, run)
        return Point(threads, figure, Mark(f"{result.at}/{measure.key}", said))

    series = [
        Series(name, style, tuple(point(name, threads) for threads in run.threads))
        for name, style in styles.items()
    ]
    if not any(one.there for one in series):
        return None
    scale = Scale(measure.unit, measure.scale, measure.log, measure.line)
    if len(run.threads) > 1:
        drawn: Sequence[Series] = series
        ticks = lines.thread_ticks(run.threads, run.cpus)
        made = lines.chart(series, scale, "threads", ticks)
    else:
        drawn = dots.rows(series)
        made = dots.chart(series, scale)
    return Plot(measure.key, measure.title, measure.says + _rest(series, drawn), made)


def _latency(run: RunFile, styles: Mapping[str, Style], heat: Heat) -> Plot | None:
    """Percentile curves of all contenders in one heat."""

    def points(result: Result | None) -> Iterator[Point]:
        for name in QUANTILES:
            if result and (figure := result.latency.get(name)):
                measure = Measure(name, "", measures.LATENCY[name])
                said = figure_text(result, figure, measure, run)
                yield Point(_PLACES[name], figure, Mark(f"{result.at}/latency_ns/{name}", said))

    series = [
        Series(name, style, tuple(points(run.result(name, heat)))) for name, style in styles.items()
    ]
    if not any(one.there for one in series):
        return None
    names = [measures.LATENCY[name].removesuffix(" ns") for name in QUANTILES]
    ticks = lines.quantile_ticks([_PLACES[name] for name in QUANTILES], names)
    scale = Scale("ns", log=True, bands=False)
    made = lines.chart(series, scale, "share of calls that took no longer", ticks)
    title = f"Latency, {heat_text(heat, run)}"
    return Plot(f"latency {heat.threads}", title, _LATENCY + _rest(series, series), made)


def _heat_map(run: RunFile, heat: Heat, publish: str) -> Plot | None:
    """Gates x method in one heat, published alike."""
    cells = [one for one in run.results if (one.heat, one.publish) == (heat, publish)]
    rows = list(dict.fromkeys(one.method for one in cells))
    gates = sorted({one.gates for one in cells}, key=gates_order)
    measure = measures.RATIO_STOCK
    squares = [
        heat_map.Square(
            rows.index(one.method),
            gates.index(one.gates),
            figure,
            Mark(f"{one.at}/{measure.key}", figure_text(one, figure, measure, run)),
        )
        for one in cells
        if (figure := one.figures.get(measure.key))
    ]
    if not squares:
        return None
    made = heat_map.chart(squares, rows, [str(number or "none") for number in gates])
    several = len({one.publish for one in run.results}) > 1
    way = f", {publish}" if several else ""
    title = f"Gates and method, {heat_text(heat, run)}{way}"
    return Plot(f"gates {heat.threads} {publish if several else ''}", title, _HEAT_MAP, made)


def _group(run: RunFile, styles: Mapping[str, Style], flush: str) -> Group:
    found: list[tuple[str, Plot | None]] = [
        (measure.title, _figures(run, styles, flush, measure))
        for measure in (measures.INSERT if run.inserts else measures.RUN)
        if measure.says
    ]
    heats = [heat for heat in run.heats if heat.flush == flush]
    found += [(f"Latency, {heat_text(h, run)}", _latency(run, styles, h)) for h in heats]
    plots = [plot for _, plot in found if plot]
    publishers = dict.fromkeys(one.publish for one in run.results if one.publish)
    maps = (_heat_map(run, heat, publish) for heat in heats for publish in publishers)
    plots += [plot for plot in maps if plot]
    empty = tuple(title for title, plot in found if not plot)
    several = len(run.flushes) > 1
    return Group(flush_text(flush).capitalize() if several else "", tuple(plots), empty)


def groups(run: RunFile) -> tuple[Group, ...]:
    """All of them."""
    styles = cast.styles(run)
    return tuple(_group(run, styles, flush) for flush in run.flushes)
