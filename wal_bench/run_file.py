# SPDX-License-Identifier: MIT
"""What `wal-bench run --json` and `wal-bench insert --json` wrote, read back and looked over.

Keys that are not known are let pass: a later version may write more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from wal_bench import insert_figures, insert_result, json_node, result
from wal_bench.errors import UsageError
from wal_bench.json_node import Node
from wal_bench.samples import PERCENTILES
from wal_bench.stats import Estimate

QUANTILES = (*PERCENTILES, "max")  #: keys of ``latency_ns``
NO_FLUSH = "none"
_SHARED = ("machine", "plan", "results", "verdict")


@dataclass(frozen=True)
class _Kind:
    """What sets one schema apart."""

    figures: tuple[str, ...]
    ratio: str  #: the key of the ratio to the baseline
    inserts: bool


_KINDS = {
    result.SCHEMA: _Kind((*result.FIGURES, "ratio_to_bound"), "ratio_to_spin", False),
    insert_result.SCHEMA: _Kind((*result.FIGURES, *insert_figures.NAMES), "ratio_to_stock", True),
}


@dataclass(frozen=True, order=True)
class Heat:
    """Where contenders can be compared."""

    threads: int
    flush: str = NO_FLUSH


@dataclass(frozen=True)
class Result:
    """One cell: a contender in a heat."""

    at: str  #: where it stands in the document: ``results/3``
    name: str
    method: str
    kind: str
    heat: Heat
    gates: int  #: 0: none
    publish: str | None  #: None: nothing is inserted
    figures: dict[str, Estimate]  #: those that have a meaning there
    latency: dict[str, Estimate]
    windows: int
    checked: bool
    findings: tuple[tuple[str, str], ...]  #: rule, text
    disturbed: tuple[tuple[int, str], ...]  #: round, text
    stuck: tuple[int, ...]  #: rounds whose window had to be ended


@dataclass(frozen=True)
class Standing:
    """Who leads in a heat."""

    heat: Heat
    winners: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """What the run said at its end."""

    ended: str
    rounds_done: int
    checked: bool
    disturbed: int  #: windows
    windows: int
    standings: tuple[Standing, ...]
    text: tuple[str, ...]


@dataclass(frozen=True)
class RunFile:
    """One file."""

    file: str
    schema: str
    inserts: bool  #: whole insertions, not reservations alone
    ratio: str  #: the key of the ratio to the baseline
    baseline: str
    cpus: int
    machine: dict[str, object]
    plan: dict[str, object]
    results: tuple[Result, ...]
    verdict: Verdict

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every contender once."""
        return tuple(dict.fromkeys(one.name for one in self.results))

    @cached_property
    def heats(self) -> tuple[Heat, ...]:
        """Every heat once, in order."""
        return tuple(sorted({one.heat for one in self.results}))

    @property
    def threads(self) -> tuple[int, ...]:
        """Every thread count once, in order."""
        return tuple(dict.fromkeys(heat.threads for heat in self.heats))

    @property
    def flushes(self) -> tuple[str, ...]:
        """Every way to flush once, as the file has them."""
        return tuple(dict.fromkeys(one.heat.flush for one in self.results))

    def result(self, name: str, heat: Heat) -> Result | None:
        """One cell."""
        return self._cells.get((name, heat))

    @cached_property
    def _cells(self) -> dict[tuple[str, Heat], Result]:
        return {(one.name, one.heat): one for one in self.results}


def _figure(node: Node) -> Estimate:
    low, median, high = (node.get(key).number() for key in ("low", "median", "high"))
    if not low <= median <= high:
        node.wrong("a figure: low <= median <= high")
    return Estimate(median=median, low=low, high=high, n=node.get("n").whole(1))


def _figures(node: Node, names: tuple[str, ...]) -> dict[str, Estimate]:
    found = ((name, node.get(name)) for name in names)
    return {name: _figure(one) for name, one in found if one.value is not None}


def _heat(node: Node, kind: _Kind) -> Heat:
    threads = node.get("threads").whole(1)
    return Heat(threads, node.get("flush").text()) if kind.inserts else Heat(threads)


def _result(node: Node, kind: _Kind) -> Result:
    method = node.get("method").text()
    latency = node.get("latency_ns")
    return Result(
        at=node.at,
        name=node.get("name").text() if kind.inserts else method,
        method=method,
        kind=node.get("kind").text(),
        heat=_heat(node, kind),
        gates=(node.get("gates").optional_whole(1) or 0) if kind.inserts else 0,
        publish=node.get("publish").text() if kind.inserts else None,
        figures=_figures(node, (*kind.figures, kind.ratio)),
        latency={} if latency.value is None else _figures(latency, QUANTILES),
        windows=node.get("windows").whole(),
        checked=node.get("checked").truth(),
        findings=tuple(
            (one.get("rule").text(), one.get("text").text()) for one in node.get("findings").items()
        ),
        disturbed=tuple(
            (one.get("round").whole(), one.get("text").text())
            for one in node.get("disturbed_windows").items()
        ),
        stuck=tuple(one.get("round").whole() for one in node.get("no_progress").items()),
    )


def _verdict(node: Node, kind: _Kind) -> Verdict:
    disturbed = node.get("disturbed")
    return Verdict(
        ended=node.get("ended").text(),
        rounds_done=node.get("rounds_done").whole(),
        checked=node.get("checked").truth(),
        disturbed=disturbed.get("windows").whole(),
        windows=disturbed.get("of").whole(),
        standings=tuple(
            Standing(_heat(one, kind), tuple(name.text() for name in one.get("winners").items()))
            for one in node.get("by_threads").items()
        ),
        text=tuple(line.text() for line in node.get("text").items()),
    )


def _require_sense(file: str, found: tuple[Result, ...], said: Verdict) -> None:
    """Each cell once, and nobody wins who was not there."""
    cells = set()
    for one in found:
        cell = (one.name, one.heat)
        if cell in cells:
            raise UsageError(f"{file}: {one.at}: {one.name!r} is there twice for these threads")
        cells.add(cell)
    for place in said.standings:
        for name in place.winners:
            if (name, place.heat) not in cells:
                raise UsageError(f"{file}: verdict: the winner {name!r} has no entry in results")


def read(file: str) -> RunFile:
    """Read a file of either schema. Raises UsageError that names file and key."""
    document = json_node.read(file)
    schema = document.get("schema").text()
    if schema not in _KINDS:
        known = " or ".join(_KINDS)
        raise UsageError(f"{file}: schema {schema!r}: only {known} can be read here")
    kind = _KINDS[schema]
    machine, plan, results, verdict = (document.get(key) for key in _SHARED)
    found = tuple(_result(one, kind) for one in results.items())
    if not found:
        results.wrong("a list with at least one entry")
    said = _verdict(verdict, kind)
    _require_sense(file, found, said)
    return RunFile(
        file=file,
        schema=schema,
        inserts=kind.inserts,
        ratio=kind.ratio,
        baseline=plan.get("baseline").text(),
        cpus=len(machine.get("cpus").items()),
        machine=machine.object(),
        plan=plan.object(),
        results=found,
        verdict=said,
    )
