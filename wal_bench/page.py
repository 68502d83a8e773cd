# SPDX-License-Identifier: MIT
"""What a command prints at its end: tables, a legend, a verdict. 79 columns."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TextIO

from rich.box import ASCII2, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wal_bench.stats import Estimate

_WIDTH = 79
NONE = "-"  #: where a figure has no meaning
_TINY = "<0.01"


def digits(value: float) -> str:
    """Three significant digits without an exponent: 212, 43.2, 0.961, 0.001."""
    if value >= 99.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def plain(value: Estimate | None, scale: float = 1.0) -> str:
    """The median."""
    return NONE if value is None else digits(value.median * scale)


def share(value: float) -> str:
    """A ratio, of which the hundredth is the last digit worth a column; the JSON has all."""
    return _TINY if value < 0.005 else digits(value) if value >= 9.995 else f"{value:.2f}"


def bracketed(value: Estimate | None) -> str:
    """A ratio with its interval."""
    if value is None:
        return NONE
    middle, low, high = map(share, (value.median, value.low, value.high))
    return middle if middle == low == high == _TINY else f"{middle} [{low}, {high}]"


def table(left: Sequence[str], right: Sequence[str]) -> Table:
    """An empty one with these titles, columns of text and columns of figures."""
    made = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 0), show_edge=False, pad_edge=False)
    for title in left:
        made.add_column(Text(title), no_wrap=True)
    for title in right:
        made.add_column(Text(title), justify="right", no_wrap=True)
    return made


def render(
    tables: Sequence[Table], legend: str, lines: Sequence[str], stream: TextIO | None
) -> str:
    """All of it as text, made for that stream (its encoding, whether it is a terminal)."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    utf8 = encoding.lower().replace("-", "").startswith("utf")
    terminal = stream is not None and stream.isatty()
    out = io.StringIO()
    console = Console(
        file=out, width=_WIDTH, force_terminal=terminal, highlight=False, legacy_windows=False
    )
    for made in tables:
        made.box = SIMPLE_HEAD if utf8 else ASCII2
        console.print(made)
        console.print()
    console.print(legend, style="dim")
    console.print()
    console.print(_words(lines))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _words(lines: Sequence[str]) -> Table:
    """A verdict, line by line: what it is about, then what is said of it."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="bold")
    grid.add_column()
    for line in lines:
        subject, _, said = line.partition(": ")
        grid.add_row(Text(subject), Text(said, style="bold red" if "WRONG" in said else ""))
    return grid
