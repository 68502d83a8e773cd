# SPDX-License-Identifier: MIT
"""Contenders as lines: a band for the intervals, a mark at each point, a legend below.

Each has marks and dashes of its own, so that a print without colours can be read too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from wal_bench.report import drawing, palette
from wal_bench.report.drawing import Drawing, Mark
from wal_bench.report.palette import Style
from wal_bench.stats import Estimate

_ROW = 0.19  #: inches that an entry of the legend takes
_SHORT = 18  #: characters of a name that fits twice into the width
_MOST = 44  #: characters of a name that fits once
_FEW_DECADES = 3.0  #: of a log axis: ticks between them too


@dataclass(frozen=True)
class Point:
    """One figure of one contender."""

    x: float
    figure: Estimate
    mark: Mark


@dataclass(frozen=True)
class Series:
    """One contender's, in order; None breaks the line."""

    name: str
    style: Style
    points: tuple[Point | None, ...]

    @property
    def there(self) -> tuple[Point, ...]:
        """What is there of it."""
        return tuple(point for point in self.points if point is not None)


@dataclass(frozen=True)
class Scale:
    """Of the y axis."""

    label: str
    factor: float = 1.0  #: the JSON's value times this is drawn
    log: bool = False  #: if nothing forbids it
    line: float | None = None  #: drawn across
    bands: bool = True  #: else each interval is a thin line alone


def short(name: str) -> str:
    """A name that fits; the tables have it whole."""
    return name if len(name) <= _MOST else f"{name[: _MOST - 1]}\u2026"


def chart(
    series: Sequence[Series], scale: Scale, label: str, ticks: Callable[[Axes], None]
) -> Drawing:
    """A whole one; ``ticks`` sets the x axis up."""
    led = [one for one in series if one.style.leads and one.there]
    columns = 2 if all(len(one.name) <= _SHORT for one in led) else 1
    made, axes = drawing.blank(_ROW * -(-len(led) // columns))
    for one in series:
        _draw(made, axes, one, scale)
    ticks(axes)
    axes.set_xlabel(label)
    _y_axis(axes, series, scale)
    _legend(made, led, columns)
    return made


def _legend(made: Drawing, led: Sequence[Series], columns: int) -> None:
    if led:
        made.figure.legend(
            [_line(one.style, [0], [0]) for one in led],
            [short(one.name) for one in led],
            loc="outside lower center",
            ncols=columns,
        )


def _line(style: Style, x: Sequence[float], y: Sequence[float], **more: Any) -> Line2D:
    dashes = "-" if style.dashes is None else (0, style.dashes)
    size = 5 if style.leads else 3
    shown: dict[str, Any] = {"marker": style.marker, "markersize": size, "linestyle": dashes} | more
    return Line2D(x, y, color=style.color, linewidth=style.width, **shown)


def _unbroken(points: Iterable[Point | None]) -> list[list[Point]]:
    parts = groupby(points, key=lambda point: point is not None)
    return [[p for p in part if p is not None] for there, part in parts if there]


def _draw(made: Drawing, axes: Axes, series: Series, scale: Scale) -> None:
    style, factor = series.style, scale.factor
    order = 3 if style.leads else 2
    for part in _unbroken(series.points):
        x = [point.x for point in part]
        y = [point.figure.median * factor for point in part]
        if style.leads:
            low = [point.figure.low * factor for point in part]
            high = [point.figure.high * factor for point in part]
            if scale.bands and style.band:
                axes.fill_between(x, low, high, color=style.color, alpha=0.13, lw=0, zorder=1.5)
            axes.vlines(x, low, high, color=style.color, alpha=0.5, lw=0.8, zorder=order)
        axes.add_line(_line(style, x, y, marker="", zorder=order))
    if series.there:
        x = [point.x for point in series.there]
        y = [point.figure.median * factor for point in series.there]
        name = made.marked(*(point.mark for point in series.there))
        axes.add_line(_line(style, x, y, linestyle="", zorder=order + 0.5, gid=name))


def log_spread(series: Sequence[Series], scale: Scale) -> float | None:
    """The largest value over the least; None if a log axis is not wanted or cannot hold them."""
    shown = [point.figure for one in series for point in one.there]
    least = min((figure.low for figure in shown), default=0.0)
    return max(figure.high for figure in shown) / least if scale.log and least > 0 else None


def _y_axis(axes: Axes, series: Sequence[Series], scale: Scale) -> None:
    spread = log_spread(series, scale)
    axes.set_ylabel(scale.label)
    axes.autoscale_view()
    if spread is None:
        axes.set_ylim(bottom=0)
    else:
        axes.set_yscale("log")
        log_ticks(axes.yaxis, spread)
    if scale.line is not None:
        axes.axhline(scale.line, color=palette.INK, lw=0.8, zorder=1.8)


def log_ticks(axis: Axis, spread: float, few_decades: float = _FEW_DECADES) -> None:
    """Of a log axis whose largest value is ``spread`` times its least; few if it has decades."""
    steps = (1.0, 2.0, 5.0) if spread < 10**few_decades else (1.0,)
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: _tick(value)))


def _tick(value: float) -> str:
    """``0.5``, ``200``, ``10k``, ``1M``."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def thread_ticks(threads: Sequence[int], cpus: int) -> Callable[[Axes], None]:
    """Threads, log 2, and where there is one for each CPU."""

    def set_up(axes: Axes) -> None:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(FixedLocator(threads))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
        margin = (threads[-1] / threads[0]) ** 0.04
        axes.set_xlim(threads[0] / margin, threads[-1] * margin)
        if threads[0] <= cpus <= threads[-1]:
            axes.axvline(cpus, color=palette.FAINT, lw=1, ls=(0, (4, 3)), zorder=1.8)
            left = cpus**2 < threads[0] * threads[-1]  # of the middle
            axes.annotate(
                "one thread per CPU",
                (cpus, 1),
                xycoords=("data", "axes fraction"),
                xytext=(3 if left else -3, 2),
                textcoords="offset points",
                ha="left" if left else "right",
                fontsize=8,
            )

    return set_up


def quantile_ticks(places: Sequence[float], names: Sequence[str]) -> Callable[[Axes], None]:
    """Quantiles at these places."""

    def set_up(axes: Axes) -> None:
        axes.xaxis.set_major_locator(FixedLocator(places))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticklabels(names)

    return set_up
