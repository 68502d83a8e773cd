# SPDX-License-Identifier: MIT
"""Carries a plan out: interleaved rounds, every window checked, partial results kept.

Within a round all contenders of a heat run next to each other, in shuffled order, so that what
changes slowly on the machine hits them alike; their ratios are taken within a round.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from wal_bench import canary, engine
from wal_bench.contender import Contender, Heat
from wal_bench.errors import EnvironmentUnfit
from wal_bench.findings import Finding
from wal_bench.insert_path import inserting
from wal_bench.interrupts import Interrupts
from wal_bench.log_files import LogFiles
from wal_bench.placement import place
from wal_bench.plan import FIXED_NS, Plan
from wal_bench.samples import Sample, sample

#: Entries of the table of sizes that all threads read in a circle, each from its own offset.
SIZE_TABLE = 4096

_HISTORY_OPERATIONS = 2_000_000  #: of all threads together, when full histories are asked for
_HISTORY_PER_THREAD = 20_000
HISTORY_BYTES = 256 << 20  #: of records, where they are written
_HISTORY_LIMIT_NS = 5_000_000_000

Offsets = npt.NDArray[np.uint32]  #: where in the table of sizes each thread starts

#: What chance is drawn for.
_SIZES, _HISTORY, _RACE = range(3)


@dataclass
class Cell:
    """One contender at one thread count, and what its windows said."""

    contender: Contender
    threads: int
    samples: list[Sample] = field(default_factory=list)
    history_operations: int = 0  #: how many were checked interval by interval
    history_findings: tuple[Finding, ...] = ()
    aside: dict[int, str] = field(default_factory=dict)  #: round -> why it does not count

    @property
    def heat(self) -> Heat:
        """Where it runs: with which it is compared."""
        return Heat(self.threads, self.contender.flush)

    @property
    def where(self) -> str:
        """``spin with 2 threads``."""
        return f"{self.contender.name} with {self.heat.text}"

    @property
    def measured(self) -> list[Sample]:
        """The windows whose figures count."""
        return [s for s in self.samples if s.measured and s.round not in self.aside]

    @property
    def stuck(self) -> list[Sample]:
        """The windows that ended without progress, or whose threads could not be stopped."""
        return [s for s in self.samples if s.status in ("no progress", "abandoned")]

    @property
    def checked(self) -> bool:
        """Whether it ran and everything it did passed the oracle."""
        ran = bool(self.samples or self.history_operations)
        return ran and not self.history_findings and all(s.checked for s in self.samples)

    @property
    def findings(self) -> list[Finding]:
        """Everything the oracle found."""
        return [*self.history_findings, *(f for s in self.samples for f in s.findings)]


@dataclass
class Run:
    """What was done of a plan; cells in the plan's order, those never reached without samples."""

    plan: Plan
    cells: list[Cell]
    ended: str = "running"  #: "complete", "budget", "interrupted", "abandoned" or "refused"
    refusal: EnvironmentUnfit | None = None  #: what the system refused
    rounds_done: int = 0
    elapsed_ns: int = 0
    canary: dict[tuple[int, Heat], float] = field(default_factory=dict)  #: (round, heat) -> ns

    def at(self, heat: Heat) -> list[Cell]:
        """The cells of one heat."""
        return [cell for cell in self.cells if cell.heat == heat]

    def base(self, heat: Heat) -> Cell:
        """The cell of the baseline there."""
        return next(cell for cell in self.at(heat) if cell.contender.baseline)

    def control(self, heat: Heat) -> Cell | None:
        """The baseline under its other name, if it was measured."""
        return next((cell for cell in self.at(heat) if cell.contender.control), None)

    def bound(self, heat: Heat) -> Cell | None:
        """The cell of the first bound there, if one was measured."""
        cells = self.at(heat)
        return next((cell for cell in cells if cell.contender.method.kind == "bound"), None)


class Observer:
    """Told what happens; the default does nothing."""

    def started(self, windows: int) -> None:
        """So many windows are planned."""

    def window(self, cell: Cell, round_: int) -> None:
        """This one is done."""

    def found(self, cell: Cell, finding: Finding) -> None:
        """The oracle found something."""

    def stuck(self, cell: Cell, last: Sample) -> None:
        """A window ended without progress; its cell is not run again."""


class _Stop(Exception):
    """Ends the loops with the reason."""


def execute(
    plan: Plan,
    observer: Observer,
    interrupts: Interrupts | None = None,
    clock: Callable[[], int] = time.monotonic_ns,
) -> Run:
    """Run the plan. An interrupt, or threads that the system refuses, end it early with what is
    done: ``ended`` says so."""
    run = Run(plan, [Cell(c, threads) for threads in plan.threads for c in plan.contenders])
    begin = clock()
    observer.started(len(run.cells) * (plan.rounds + plan.check))
    interrupts = interrupts or Interrupts()
    try:
        interrupts.armed = True
        if interrupts.number is not None:  # it came before
            raise KeyboardInterrupt
        with LogFiles() as files:
            _Runner(run, observer, files, lambda: clock() - begin).rounds()
        run.ended = "complete"
    except _Stop as reason:
        run.ended = str(reason)
    except EnvironmentUnfit as refusal:
        run.ended, run.refusal = "refused", refusal
    except KeyboardInterrupt:
        run.ended = "interrupted"
    interrupts.armed = False
    run.elapsed_ns = clock() - begin
    return run


class _Runner:
    def __init__(
        self, run: Run, observer: Observer, files: LogFiles, elapsed: Callable[[], int]
    ) -> None:
        self.run, self.plan, self.observer, self.elapsed = run, run.plan, observer, elapsed
        self.files = files
        self.between = canary.pair(run.plan.cpus)
        self.sizes = run.plan.sizes.table(SIZE_TABLE, self.stream(_SIZES))
        self.longest: dict[Heat, int] = {}  # ns that it took

    def stream(self, *of: int) -> np.random.Generator:
        """Chance of its own for each part of the run, whatever was drawn for the others."""
        return np.random.default_rng(np.random.SeedSequence(self.plan.seed, spawn_key=of))

    def rounds(self) -> None:
        for contender in self.plan.contenders:
            contender.prepare(self.files)
        if self.plan.check:
            for index, cell in enumerate(self.run.cells):
                self.history(cell, self.offsets(cell, self.stream(_HISTORY, index)))
        for number in range(self.plan.rounds):
            for index, heat in enumerate(self.plan.heats):
                self.race(heat, number, self.stream(_RACE, number, index))
            self.run.rounds_done = number + 1

    def offsets(self, cell: Cell, rng: np.random.Generator) -> Offsets:
        return rng.integers(0, self.sizes.size, cell.threads).astype(np.uint32)

    def race(self, heat: Heat, number: int, rng: np.random.Generator) -> None:
        begin = self.elapsed()
        budget = self.plan.budget_ns
        if (
            budget is not None
            and begin + self.longest.get(heat, 0) + FIXED_NS > budget
            and self.longest
        ):
            raise _Stop("budget")
        if self.between is not None and (took := canary.reading(self.between)) is not None:
            self.run.canary[number, heat] = took
        cells = self.run.at(heat)
        drawn = [(cell, self.offsets(cell, rng)) for cell in cells]
        for index in rng.permutation(len(drawn)):
            cell, offsets = drawn[index]
            if not cell.stuck:
                self.window(cell, number, offsets)
        self.longest[heat] = max(self.longest.get(heat, 0), self.elapsed() - begin)

    def window(self, cell: Cell, number: int, offsets: Offsets) -> None:
        found = self.sampled(cell, number, offsets, 0, self.plan.window_ns)
        cell.samples.append(found)
        for finding in found.findings:
            self.observer.found(cell, finding)
        if cell.stuck:
            self.observer.stuck(cell, found)
        self.observer.window(cell, number)
        if found.status == "abandoned":
            raise _Stop("abandoned")  # threads of it are still running: nothing to measure beside

    def history(self, cell: Cell, offsets: Offsets) -> None:
        each = min(_HISTORY_PER_THREAD, _HISTORY_OPERATIONS // cell.threads)
        if cell.contender.path is not None:
            each = min(each, int(HISTORY_BYTES / self.plan.sizes.aligned_mean) // cell.threads)
        found = self.sampled(cell, -1, offsets, max(1, each), _HISTORY_LIMIT_NS)
        cell.history_operations = sum(found.counts)
        cell.history_findings = found.findings
        for finding in found.findings:
            self.observer.found(cell, finding)
        self.observer.window(cell, -1)
        if found.status == "abandoned":
            raise _Stop("abandoned")

    def sampled(
        self, cell: Cell, number: int, offsets: Offsets, history: int, window_ns: int
    ) -> Sample:
        plan = engine.WindowPlan(
            method=cell.contender.method.name,
            cpus=place(self.plan.pin, cell.threads, self.plan.cpus),
            sizes=self.sizes,
            offsets=offsets,
            warmup_ns=self.plan.warmup_ns,
            window_ns=window_ns,
            history=history,
        )
        # What was inserted is judged before its files are gone.
        with cell.contender.insertion(self.files, history > 0) as insert:
            window = engine.run_window(inserting(plan, insert))
            return sample(window, cell.contender.method, number, len(self.plan.cpus))
