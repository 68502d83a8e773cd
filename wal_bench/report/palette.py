# SPDX-License-Identifier: MIT
"""How contenders look: never told apart by colour alone, and no colour taken by another.

The colours stay apart (CIE76 >= 30) with full colour vision and with none of the red, green or
blue cones, and keep a contrast of 3 to the page; tests/wal_bench/test_report_palette.py has both.
"""

from __future__ import annotations

from dataclasses import dataclass

PAPER, NIGHT = "#ffffff", "#16181d"  #: what it is drawn on, by day and by night
INK, FAINT = "#1b1b1f", "#8f9298"

#: A colour of a drawing and what it becomes by night; the page has a variable for each.
NIGHTLY = {
    INK: "#ececf0",
    FAINT: "#7d818a",
    "#e3e4e8": "#33363d",  # grid
    "#0d0dff": "#6040ff",
    "#eb560c": "#cc2b0a",
    "#3f8c66": "#5ccc81",
    "#cc5cb9": "#ad4e7e",
    "#6b2705": "#ffbf40",
    "#7609ad": "#945ccc",
}
GRID = "#e3e4e8"


@dataclass(frozen=True)
class Style:
    """Of one contender in every drawing."""

    color: str
    marker: str
    dashes: tuple[float, ...] | None = None  #: None: solid
    width: float = 1.5
    band: bool = True

    @property
    def leads(self) -> bool:
        """It has a look of its own and a place in the legend."""
        return self is not REST


REST = Style(FAINT, ".", width=0.7, band=False)
BASELINE = Style(INK, "o", width=2.2)
BOUNDS = (Style(INK, "+", (1, 1.5), 1.1, False), Style(INK, "x", (4, 1.5, 1, 1.5), 1.1, False))
LEADERS = (
    Style("#0d0dff", "s"),
    Style("#eb560c", "^", (5, 1.5)),
    Style("#3f8c66", "D", (2, 1)),
    Style("#cc5cb9", "v"),
    Style("#6b2705", "P", (5, 1.5)),
    Style("#7609ad", "X", (2, 1)),
)
