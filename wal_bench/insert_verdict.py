# SPDX-License-Identifier: MIT
"""What a run of whole insertions says beyond its standings: where the method matters.

With so many gates at most as many inserters meet on the insert position, so a better way to
reserve has little to win behind few of them. Behind given gates it *pays* to replace the spinlock
if the method with the largest median ratio to spin, both behind these gates and published alike,
is surely above 1, and by more than the control is from itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from wal_bench import words
from wal_bench.contender import Heat
from wal_bench.insert_contenders import gates_order, gates_text
from wal_bench.insert_path import InsertPath
from wal_bench.plan import BASELINE, FEWEST_ROUNDS
from wal_bench.run import Cell, Run
from wal_bench.standings import (
    Judged,
    Standing,
    control,
    differs,
    interval,
    judge,
    ratio,
    resolution,
)
from wal_bench.stats import Estimate


@dataclass(frozen=True)
class Behind:
    """The best method in place of spin, behind the same gates."""

    heat: Heat
    publish: str
    gates: int  #: 0: none
    best: str  #: a method
    ratio: Estimate  #: to spin
    pays: bool  #: it is surely faster


@dataclass(frozen=True)
class InsertVerdict:
    """All of it."""

    judged: Judged
    behind: tuple[Behind, ...]  #: by heat and publish, gates ascending, none last

    def pays_from(self, heat: Heat, publish: str) -> int | None:
        """From how many gates up it pays at every number measured; 0: only without; None: never."""
        found = None
        for one in reversed(self.behind):
            if (one.heat, one.publish) == (heat, publish):
                if not one.pays:
                    break
                found = one.gates
        return found


def path_of(cell: Cell) -> InsertPath:
    """Of a cell of such a run."""
    assert cell.contender.path is not None
    return cell.contender.path


def _key(cell: Cell) -> tuple[str, int]:
    plan = path_of(cell).insert
    return plan.publish, gates_order(plan.gates)


def _behind(run: Run, heat: Heat) -> list[Behind]:
    able = [c for c in run.at(heat) if c.contender.rival and not c.findings]
    finest = resolution(control(run, heat))
    found = []
    for _, group in groupby(sorted(able, key=_key), key=_key):
        cells = list(group)
        spin = next((c for c in cells if c.contender.method.name == BASELINE), None)
        others = [
            (value, c)
            for c in cells
            if spin not in (None, c)
            and (value := ratio(c, spin)) is not None
            and value.n >= FEWEST_ROUNDS
        ]
        if others:
            value, best = max(others, key=lambda one: one[0].median)
            plan = path_of(best).insert
            pays = value.low > 1 and differs(value, finest)
            name = best.contender.method.name
            found.append(Behind(heat, plan.publish, plan.gates, name, value, pays))
    return found


def _lines(behind: list[Behind]) -> list[str]:
    """One for each number of gates and way to publish: where it pays, and where not."""
    ways = len({one.publish for one in behind})

    def subject(one: Behind) -> str:
        return gates_text(one.gates) + (f", {one.publish}" if ways > 1 else "")

    ordered = sorted(behind, key=lambda one: (one.publish, gates_order(one.gates)))
    return [f"{name}: {_said(list(group))}" for name, group in groupby(ordered, key=subject)]


def _said(behind: list[Behind]) -> str:
    pays = [one for one in behind if one.pays]
    if not pays:
        most = max(behind, key=lambda one: one.ratio.median)
        where = f" with {most.heat.text}" if len(behind) > 1 else ""
        return (
            f"no method beats {BASELINE}; the best is {most.best}, {interval(most.ratio)} "
            f"times {BASELINE}{where}"
        )
    said = [
        f"{one.best} {interval(one.ratio)} times {BASELINE} with {one.heat.text}" for one in pays
    ]
    rest = "; elsewhere no method beats it" if len(pays) < len(behind) else ""
    return words.listed(said) + rest


def verdict(run: Run) -> InsertVerdict:
    """Judge a run."""
    behind = [one for heat in run.plan.heats for one in _behind(run, heat)]

    def more(_: tuple[Standing, ...]) -> list[str]:
        return _lines(behind)

    return InsertVerdict(judge(run, more), tuple(behind))
