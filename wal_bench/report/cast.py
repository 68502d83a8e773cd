# SPDX-License-Identifier: MIT
"""Who is drawn in colour. A drawing bears few lines; the others are grey, and all are in tables."""

from __future__ import annotations

from wal_bench.report import palette
from wal_bench.report.palette import Style
from wal_bench.run_file import RunFile


def _rank(run: RunFile, name: str) -> tuple[int, int, float]:
    """Most often first, then most often among the first, then the largest ratio anywhere."""
    winners = [place.winners for place in run.verdict.standings]
    ratios = [
        one.figures[run.ratio].median
        for one in run.results
        if one.name == name and run.ratio in one.figures
    ]
    return (
        sum(names[:1] == (name,) for names in winners),
        sum(name in names for names in winners),
        max(ratios, default=0.0),
    )


def styles(run: RunFile) -> dict[str, Style]:
    """Each contender's, alike in every drawing of a run."""
    bounds = list(dict.fromkeys(one.name for one in run.results if one.kind == "bound"))
    rivals = [name for name in run.names if name != run.baseline and name not in bounds]
    ranked = sorted(rivals, key=lambda name: _rank(run, name), reverse=True)
    first = ranked[: len(palette.LEADERS)]
    leading = [name for name in rivals if name in first]  # colours in the order of the file
    found = dict(zip(leading, palette.LEADERS, strict=False))
    found |= dict(zip(bounds, palette.BOUNDS, strict=False))
    found[run.baseline] = palette.BASELINE
    return {name: found.get(name, palette.REST) for name in run.names}
