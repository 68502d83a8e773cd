# SPDX-License-Identifier: MIT
"""One thread count: no line to draw, so a row for each contender with a point and its interval."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.lines import Line2D

from wal_bench.report import drawing, palette
from wal_bench.report.drawing import Drawing
from wal_bench.report.lines import Scale, Series, log_spread, log_ticks, short

_ROW = 0.21  #: inches
_FEW_DECADES = 1.5  #: of a log axis: names leave it little width
_MOST_ROWS = 26  #: with more, only those that have a colour


def rows(series: Sequence[Series]) -> list[Series]:
    """Those that are drawn."""
    there = [one for one in series if one.there]
    return there if len(there) <= _MOST_ROWS else [one for one in there if one.style.leads]


def chart(series: Sequence[Series], scale: Scale) -> Drawing:
    """A whole one."""
    shown = rows(series)
    made, axes = drawing.blank(_ROW * len(shown) - 2.2)
    for row, one in enumerate(shown):
        (point,) = one.there
        ends = [point.figure.low * scale.factor, point.figure.high * scale.factor]
        axes.add_line(Line2D(ends, [row, row], color=one.style.color, lw=1.5, alpha=0.6))
        middle = point.figure.median * scale.factor
        axes.add_line(
            Line2D(
                [middle],
                [row],
                color=one.style.color,
                marker=one.style.marker,
                markersize=6,
                linestyle="",
                clip_on=False,
                gid=made.marked(point.mark),
            )
        )
    spread = log_spread(shown, scale)
    axes.autoscale_view()
    if spread is None:
        axes.set_xlim(left=0)
    else:
        axes.set_xscale("log")
        log_ticks(axes.xaxis, spread, _FEW_DECADES)
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_yticks(range(len(shown)), [short(one.name) for one in shown])
    axes.set_xlabel(scale.label)
    if scale.line is not None:
        axes.axvline(scale.line, color=palette.INK, lw=0.8, zorder=1.8)
    return made
