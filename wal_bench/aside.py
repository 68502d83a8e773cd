# SPDX-License-Identifier: MIT
"""Which windows of a run are set aside: they were measured and checked, but enter no figure.

canary     the canary moved before the race they belong to: all of the race
disturbed  something else took CPU time from the window (samples.disturbance). Where that befell
           most windows of a cell, it is no exception, and none of them is set aside for it
"""

from __future__ import annotations

from wal_bench import canary
from wal_bench.run import Cell, Run

CANARY, DISTURBED = "canary", "disturbed"


def set_aside(run: Run) -> None:
    """Tell each cell which of its rounds do not count, and why."""
    races = list(run.canary)
    moved = [
        race
        for race, far in zip(races, canary.moved(list(run.canary.values())), strict=True)
        if far
    ]
    for cell in run.cells:
        cell.aside = {round_: CANARY for round_, heat in moved if heat == cell.heat}
        disturbed = _disturbed(cell)
        if 2 * len(disturbed) <= len(cell.samples):
            cell.aside = dict.fromkeys(disturbed, DISTURBED) | cell.aside


def _disturbed(cell: Cell) -> list[int]:
    return [s.round for s in cell.samples if s.disturbed is not None]
