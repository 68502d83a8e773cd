# SPDX-License-Identifier: MIT
"""What a run of methods says beyond its standings: from where on which kind wins, and the bound."""

from __future__ import annotations

from dataclasses import dataclass

from wal_bench import words
from wal_bench.run import Run
from wal_bench.standings import Judged, Standing, judge, ratio


@dataclass(frozen=True)
class Verdict:
    """All of it."""

    judged: Judged
    crossover: int | None  #: from this thread count up one kind wins at every count ...
    crossover_kind: str | None  #: ... this one, while it does not below


def crossover(standings: tuple[Standing, ...]) -> tuple[int | None, str | None, str]:
    """From which thread count up one kind of method wins at every count measured."""
    decided = [s for s in standings if s.winners]
    if len(decided) < 2:
        return None, None, "crossover: needs at least two thread counts"
    kind, last = decided[-1].kind, len(decided) - 1
    while last > 0 and decided[last - 1].kind == kind:
        last -= 1
    where = decided[last].heat.threads
    if kind is None:
        return None, None, "crossover: none, several kinds are among the first at the highest count"
    if last == 0:
        return None, None, f"crossover: none, {kind} wins at every thread count measured"
    return where, kind, f"crossover: {kind} wins from {words.count(where, 'thread')} on"


def _bound_line(run: Run, standings: tuple[Standing, ...]) -> list[str]:
    shares: list[tuple[int, float]] = []
    name = ""
    for place in standings:
        cells = {c.contender.name: c for c in run.at(place.heat)}
        bound = run.bound(place.heat)
        if bound is not None and place.winners:
            name = f" of {bound.contender.name}"
            value = ratio(cells[place.winners[0]], bound)
            shares += [] if value is None else [(place.heat.threads, value.median)]
    if not shares:
        return []
    (threads, first), *rest = shares
    line = f"bound: the winner reaches {first:.2f}{name} at {words.count(threads, 'thread')}"
    line += "".join(f", {share:.2f} at {threads}" for threads, share in rest)
    if any(share > 1 for _, share in shares):
        line += " (above 1: it pauses when it collides, the bound never does)"
    return [line]


def verdict(run: Run) -> Verdict:
    """Judge a run."""

    def more(standings: tuple[Standing, ...]) -> list[str]:
        return [crossover(standings)[2], *_bound_line(run, standings)]

    judged = judge(run, more)
    where, kind, _ = crossover(judged.standings)
    return Verdict(judged, where, kind)
