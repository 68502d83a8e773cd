# SPDX-License-Identifier: MIT
"""The table of a run, as text: fits 80 columns, with colour only on a terminal that wants it."""

from __future__ import annotations

import io
from typing import TextIO

from rich.box import ASCII2, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wal_bench import verdict as verdicts
from wal_bench.plan import BASELINE
from wal_bench.run import Cell, Run
from wal_bench.stats import Estimate
from wal_bench.verdict import Standing, Verdict

_WIDTH = 79
_COLUMNS = (
    "\nMops/s",
    f"times {BASELINE}\n[interval]",
    "times bound\n[interval]",
    "fails\n/op",
    "CPU\nns/op",
)
_NONE, _TINY = "-", "<0.01"


def digits(value: float) -> str:
    """Three significant digits without an exponent: 212, 43.2, 0.961, 0.001."""
    if value >= 99.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def _plain(value: Estimate | None, scale: float = 1.0) -> str:
    return _NONE if value is None else digits(value.median * scale)


def _share(value: float) -> str:
    """A ratio, of which the hundredth is the last digit worth a column; the JSON has all."""
    return _TINY if value < 0.005 else digits(value) if value >= 9.995 else f"{value:.2f}"


def _ratio(cell: Cell, other: Cell | None) -> str:
    value = None if other in (None, cell) else verdicts.ratio(cell, other)
    if value is None:
        return _NONE
    middle, low, high = map(_share, (value.median, value.low, value.high))
    return middle if middle == low == high == _TINY else f"{middle} [{low}, {high}]"


def _row(cell: Cell, base: Cell, bound: Cell | None, won: bool) -> list[Text]:
    style = "bold green" if won else "dim" if cell.contender.method.kind == "bound" else ""
    texts = [
        f" {cell.contender.name}{'*' if won else ''}",
        _plain(verdicts.figures(cell, "ops_per_s"), 1e-6),
        _ratio(cell, base),
        _ratio(cell, bound),
        _plain(verdicts.figures(cell, "retries_per_op")),
        _plain(verdicts.figures(cell, "cpu_ns_per_op")),
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
    encoding = getattr(stream, "encoding", None) or "utf-8"
    utf8 = encoding.lower().replace("-", "").startswith("utf")
    table = Table(
        box=SIMPLE_HEAD if utf8 else ASCII2, padding=(0, 0, 0, 0), show_edge=False, pad_edge=False
    )
    table.add_column("", no_wrap=True)
    for title in _COLUMNS:
        table.add_column(Text(title), justify="right", no_wrap=True)
    for place in found.standings:
        _group(table, run, place)
    terminal = stream is not None and stream.isatty()
    out = io.StringIO()
    console = Console(
        file=out, width=_WIDTH, force_terminal=terminal, highlight=False, legacy_windows=False
    )
    console.print(table)
    console.print()
    console.print(_legend(run), style="dim")
    console.print()
    console.print(_words(found))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _words(found: Verdict) -> Table:
    """The verdict, line by line: what it is about, then what is said of it."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="bold")
    grid.add_column()
    for line in found.lines:
        subject, _, said = line.partition(": ")
        grid.add_row(Text(subject), Text(said, style="bold red" if "WRONG" in said else ""))
    return grid


def _legend(run: Run) -> str:
    plan = run.plan
    return (
        f"* wins, or does not differ from what wins. Medians of {run.plan.rounds} rounds; "
        f"ratios of pairs within a round. Record sizes: {plan.sizes.name}. "
        "'-': no meaning there. faa-bound returns no prev link and cannot win."
    )
