# SPDX-License-Identifier: MIT
"""A drawing and the one look of all: size, fonts, grid, and what each mark stands for.

Sizes are such that the text of a drawing is as large as the page's on a phone.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wal_bench.report.palette import FAINT, GRID, INK

_WIDTH, _HEIGHT = 4.8, 3.3  # inches

_LOOK: Any = {  # its type names every setting of one version of matplotlib
    "axes.edgecolor": FAINT,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 9,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "legend.handlelength": 3,
    "legend.labelspacing": 0.3,
    "lines.dash_joinstyle": "miter",
    "path.simplify": False,  # every point stays
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "dwcas",  # the same file from the same figures
    "text.color": INK,
    "text.parse_math": False,  # a name may hold a dollar
    "xtick.color": INK,
    "xtick.minor.size": 0,
    "ytick.color": INK,
    "ytick.minor.size": 0,
}


@dataclass(frozen=True)
class Mark:
    """What a mark in a drawing stands for: a place in the JSON, and words."""

    at: str
    text: str


@dataclass
class Drawing:
    """A figure and what its groups of marks, by their id, stand for."""

    figure: Figure
    marks: dict[str, tuple[Mark, ...]] = field(default_factory=dict)

    def marked(self, *marks: Mark) -> str:
        """An id for a group of these marks, in the order in which they are drawn."""
        name = f"marks-{len(self.marks)}"
        self.marks[name] = marks
        return name


@dataclass(frozen=True)
class Plot:
    """A drawing that is done."""

    name: str  #: of its files
    title: str
    says: str  #: how to read it
    drawing: Drawing


@contextmanager
def look() -> Iterator[None]:
    """The look, around everything that draws or saves."""
    with matplotlib.rc_context(_LOOK), warnings.catch_warnings():
        # A name may be in any script: an SVG has the text, a PNG boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def blank(height: float = 0.0) -> tuple[Drawing, Axes]:
    """An empty one, this many inches higher than it need be."""
    figure = Figure(figsize=(_WIDTH, _HEIGHT + height), layout="constrained")
    return Drawing(figure), figure.subplots()
