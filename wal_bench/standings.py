# SPDX-License-Identifier: MIT
"""Who leads in each heat of a run, and what is said of its end.

Two contenders differ in a heat if the interval of the median of their paired ratios (same round,
next to each other) does not hold 1, and that median is further from 1 than the control's interval
reaches: the control is the baseline once more, so what it differs by is no method's doing. The
winner is the rival (its method is of any kind but bound) with the largest median ratio to the
baseline, together with all that do not differ from it. A bound returns no prev link, does less than
the task asks, and never wins. Nor does a broken method, nor the control.
Ratios are of throughput: 2 means twice as many operations per second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from wal_bench import aside, words
from wal_bench.contender import Heat
from wal_bench.plan import FEWEST_ROUNDS
from wal_bench.run import Cell, Run
from wal_bench.stats import Estimate, estimate, paired_ratio

_MOST_NAMED = 4  #: of those that share the lead; the table marks all of them


@dataclass(frozen=True)
class Standing:
    """Who leads in one heat."""

    heat: Heat
    winners: tuple[str, ...]  #: several = no difference between them; none = not enough data
    kind: str | None  #: of all winners' methods, None if they are of several
    ratio: Estimate | None  #: first winner to the baseline; None if it is the baseline
    control: Estimate | None  #: the baseline's other name to the baseline; None = too little data
    text: str


@dataclass(frozen=True)
class Judged:
    """What a run of any kind says."""

    standings: tuple[Standing, ...]  #: of each heat
    disturbed: int  #: windows
    set_aside: dict[str, int]  #: windows that do not count, by reason (aside.py)
    windows: int
    checked: bool
    lines: tuple[str, ...]  #: all of it in words, as ``subject: what is said of it``


def ratio(cell: Cell, base: Cell) -> Estimate | None:
    """Throughput ratio over the rounds that have both; None if there is none."""
    of_base = {s.round: s.figures["ops_per_s"] for s in base.measured}
    both = [s for s in cell.measured if s.round in of_base]
    if not both:
        return None
    return paired_ratio([s.figures["ops_per_s"] for s in both], [of_base[s.round] for s in both])


def figures(cell: Cell, name: str) -> Estimate | None:
    """One figure over the rounds of a cell; None if no round has it."""
    values = [s.figures[name] for s in cell.measured if name in s.figures]
    return estimate(values) if values else None


def interval(value: Estimate) -> str:
    """``1.20 [1.10, 1.30]``."""
    return f"{value.median:.2f} [{value.low:.2f}, {value.high:.2f}]"


def control(run: Run, heat: Heat) -> Estimate | None:
    """How often the baseline is as fast as itself; None if that was not measured often enough."""
    cell = run.control(heat)
    value = None if cell is None else ratio(cell, run.base(heat))
    return value if value is not None and value.n >= FEWEST_ROUNDS else None


def resolution(control: Estimate | None) -> float:
    """The factor that the control is from itself at most; 1 where there is no control."""
    return 1.0 if control is None else max(control.high, 1 / control.low)


def differs(value: Estimate, finest: float) -> bool:
    """Whether a ratio is surely not 1, and further from it than ``finest``, a resolution."""
    far = max(value.median, 1 / value.median) > finest
    return far and not value.low <= 1 <= value.high


def standing(run: Run, heat: Heat) -> Standing:
    """Who leads among the cells of one heat."""
    cells, base = run.at(heat), run.base(heat)
    able = [c for c in cells if c.contender.rival and not c.findings]
    against_itself = control(run, heat)
    finest = resolution(against_itself)
    to_base = {c.contender.name: value for c in able if (value := ratio(c, base)) is not None}
    rivals = [c for c in cells if (v := to_base.get(c.contender.name)) and v.n >= FEWEST_ROUNDS]
    if len(rivals) < 2:
        rounds = max((value.n for value in to_base.values()), default=0)
        return Standing(heat, (), None, None, against_itself, _undecided(heat, rounds))
    rivals.sort(key=lambda c: to_base[c.contender.name].median, reverse=True)
    leader, others = rivals[0], rivals[1:]
    level = [c for c in others if (v := ratio(leader, c)) is None or not differs(v, finest)]
    first = [leader, *level]
    kinds = {c.contender.method.kind for c in first}
    names = tuple(c.contender.name for c in first)
    behind = next((c for c in others if c not in level), None)
    value = None if leader is base else to_base[leader.contender.name]
    text = _first_words(names, base.contender.name, value) + _next_words(leader, behind)
    kind = kinds.pop() if len(kinds) == 1 else None
    return Standing(heat, names, kind, value, against_itself, f"{heat.text}: {text}")


def _undecided(heat: Heat, rounds: int) -> str:
    why = "there is nothing to compare"
    if rounds < FEWEST_ROUNDS:
        why = f"no verdict from {words.count(rounds, 'round')}, {FEWEST_ROUNDS} are needed"
    return f"{heat.text}: {why}"


def _first_words(names: tuple[str, ...], base: str, value: Estimate | None) -> str:
    to_base = "" if value is None else f"{interval(value)} times {base}"
    if len(names) > 1:
        text = f"no difference between {words.listed(names, _MOST_NAMED)}"
        return text if base in names else f"{text}, {names[0]} at {to_base}"
    return f"{names[0]} wins" + (f", {to_base}" if to_base else "")


def _next_words(leader: Cell, behind: Cell | None) -> str:
    if behind is None:
        return ""
    value = ratio(behind, leader)
    share = "" if value is None else f" at {interval(value)} of {leader.contender.name}"
    return f"; next {behind.contender.name}{share}"


def _control_line(standings: tuple[Standing, ...], base: str) -> list[str]:
    shares = [
        f"{100 * (resolution(place.control) - 1):.0f} % with {place.heat.text}"
        for place in standings
        if place.control is not None
    ]
    if not shares:
        return []
    return [
        f"control: {base} is up to {words.listed(shares)} from itself; no finer difference is told"
    ]


def _disturbed_lines(disturbed: int, set_aside: dict[str, int], windows: int) -> list[str]:
    if not windows:
        return ["disturbance: nothing was measured"]
    text = f"{disturbed} of {windows} windows lost CPU time to something else"
    lines = [f"disturbance: {text}" if disturbed else "disturbance: none seen"]
    if set_aside:
        whys = {
            aside.DISTURBED: "lost CPU time",
            aside.CANARY: "lay beside a canary that moved",
        }
        parts = [f"{number} that {whys[why]}" for why, number in sorted(set_aside.items())]
        lines.append(f"set aside: of {windows} windows {words.listed(parts)}")
    return lines


def _end_line(run: Run) -> list[str]:
    done = f"{run.rounds_done} of {run.plan.rounds} rounds complete"
    return {
        "complete": [],
        "budget": [f"end: the budget is spent, {done}"],
        "interrupted": [f"end: interrupted, {done}, what was measured is kept"],
        "refused": [f"end: {run.refusal}; {done}"],
        "abandoned": [f"end: a method could not be stopped, {done}"],
    }[run.ended]


def judge(run: Run, more: Callable[[tuple[Standing, ...]], list[str]]) -> Judged:
    """Judge a run; one that was cut short by what it has. ``more`` lines follow the standings."""
    standings = tuple(standing(run, heat) for heat in run.plan.heats)
    samples = [s for cell in run.cells for s in cell.samples]
    disturbed = sum(s.disturbed is not None for s in samples)
    set_aside = Counter(
        cell.aside[s.round] for cell in run.cells for s in cell.samples if s.round in cell.aside
    )
    wrong = [cell.where for cell in run.cells if cell.findings]
    passed = sum(s.checked for s in samples)
    oracle = f"{passed} of {words.count(len(samples), 'window')} passed"
    lines = [
        *(place.text for place in standings),
        *more(standings),
        *(f"no progress: {cell.where}, not run again" for cell in run.cells if cell.stuck),
        *_control_line(standings, run.base(run.plan.heats[0]).contender.name),
        *_disturbed_lines(disturbed, set_aside, len(samples)),
        f"oracle: {f'WRONG: {words.listed(wrong)}' if wrong else oracle}",
        *_end_line(run),
    ]
    return Judged(
        standings,
        disturbed,
        dict(set_aside),
        len(samples),
        passed == len(samples) and not wrong,
        tuple(lines),
    )
