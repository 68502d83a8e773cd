# SPDX-License-Identifier: MIT
"""What was seen, as JSON values (dwcas.doctor/1) and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from wal_bench import page
from wal_bench.doctor.check import LEVELS, Check, Level, Seen
from wal_bench.words import count

Rows = Sequence[tuple[Check, Seen]]

_STYLES: dict[Level, str] = {"ok": "green", "note": "cyan", "warn": "yellow", "bad": "bold red"}


def worst(rows: Rows) -> Level:
    """The gravest level of all."""
    order = list(LEVELS)
    return max((seen.level for _, seen in rows), key=order.index, default="ok")


def document(rows: Rows, cpus: Sequence[int]) -> dict[str, object]:
    """JSON values."""
    return {
        "schema": "dwcas.doctor/1",
        "cpus": list(cpus),
        "worst": worst(rows),
        "checks": [
            {
                "check": check.name,
                "level": seen.level,
                "found": seen.found,
                "means": seen.means or None,
                "advice": seen.advice,
                "values": dict(seen.values),
            }
            for check, seen in rows
        ],
    }


def _told(seen: Seen) -> Text:
    fine = seen.level == "ok"
    text = Text(seen.found)
    if seen.means:
        text.append("; " if fine else "\n").append(seen.means, style="dim" if fine else "")
    if seen.advice:
        text.append("\ndo: ", style="bold").append(seen.advice)
    return text


def _lines(rows: Rows) -> list[str]:
    """The verdict: what is wrong, gravest first."""
    by_level = {level: [c.name for c, seen in rows if seen.level == level] for level in LEVELS}
    graver: tuple[Level, ...] = ("bad", "warn")
    said = [f"{level}: {', '.join(by_level[level])}" for level in graver if by_level[level]]
    quiet = f"{count(len(by_level['note']), 'note')}, {len(by_level['ok'])} ok"
    return [*(said or ["verdict: nothing seen that disturbs"]), f"others: {quiet}"]


def render(rows: Rows, stream: TextIO | None) -> str:
    """The table, what the levels mean, and what is wrong; made for that stream."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False)
    for title in ("", "looked at", "found; what it means; what to do"):
        table.add_column(title, no_wrap=not title.startswith("found"))
    for check, seen in rows:
        level = Text(seen.level, style=_STYLES[seen.level])
        table.add_row(level, Text(check.name, style="bold"), _told(seen))
    legend = ". ".join(f"{level}: {means}" for level, means in LEVELS.items()) + "."
    return page.render([table], legend, _lines(rows), stream)
