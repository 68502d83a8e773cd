# SPDX-License-Identifier: MIT
"""From files to a page, and each of its drawings as files of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wal_bench.report import html, plots, svg
from wal_bench.report.drawing import Plot, look
from wal_bench.run_file import RunFile


@dataclass(frozen=True)
class Report:
    """All of it."""

    page: str
    plots: dict[str, Plot]  #: by the names of their files, without an ending


def _slug(*parts: str) -> str:
    """Letters, digits and hyphens."""
    kept = "".join(c if c.isascii() and c.isalnum() else " " for c in " ".join(parts))
    return "-".join(kept.lower().split())


def build(runs: Sequence[RunFile]) -> Report:
    """The page of these runs, in order."""
    chapters = []
    drawn: dict[str, Plot] = {}
    with look():
        for number, run in enumerate(runs, start=1):
            prefix = f"r{number}-"
            groups = plots.groups(run)
            chapters.append(html.chapter(run, groups, prefix))
            several = str(number) if len(runs) > 1 else ""
            drawn |= {
                _slug(several, group.title, plot.name): plot
                for group in groups
                for plot in group.plots
            }
        return Report(html.page(chapters), drawn)


def write_plots(report: Report, directory: Path) -> list[Path]:
    """Each drawing as SVG and as PNG. OSError if one cannot be written."""
    written = []
    for name, plot in report.plots.items():
        for ending, content in ((".svg", svg.standalone(plot).encode()), (".png", svg.png(plot))):
            path = directory / f"{name}{ending}"
            path.write_bytes(content)
            written.append(path)
    return written
