# SPDX-License-Identifier: MIT
"""Gates x method: a square for each, coloured by its ratio to stock PostgreSQL.

Blue is faster and red slower, paler the nearer to 1; the number is in the square, so that no
scale of colours has to be looked up. Bold: the interval does not hold 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from wal_bench.page import share
from wal_bench.report import drawing
from wal_bench.report.drawing import Drawing, Mark
from wal_bench.report.lines import short
from wal_bench.stats import Estimate

_FULL = 1.0  #: the power of two of a ratio that has full colour, and beyond
_EDGE = 0.66  #: of the colours that are used: the outermost are too dark for text
_ROW = 0.3  #: inches


@dataclass(frozen=True)
class Square:
    """One of them."""

    row: int
    column: int
    ratio: Estimate
    mark: Mark


def _color(ratio: float) -> str:
    power = math.log2(ratio) / _FULL if ratio > 0 else -1.0
    place = 0.5 + max(-1.0, min(1.0, power)) * _EDGE / 2
    return to_hex(matplotlib.colormaps["RdBu"](place))


def chart(squares: Sequence[Square], rows: Sequence[str], columns: Sequence[str]) -> Drawing:
    """A whole one."""
    made, axes = drawing.blank(_ROW * len(rows) - 2.7)
    for one in squares:
        corner = (one.column - 0.5, one.row - 0.5)
        name = made.marked(one.mark)
        color = _color(one.ratio.median)
        axes.add_patch(Rectangle(corner, 1, 1, facecolor=color, edgecolor="none", gid=name))
        sure = not one.ratio.low <= 1 <= one.ratio.high
        axes.text(
            one.column,
            one.row,
            share(one.ratio.median),
            color="#101010",
            ha="center",
            va="center",
            weight="bold" if sure else "normal",
        )
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), [short(name) for name in rows])
    axes.set_xlabel("gates")
    return made
