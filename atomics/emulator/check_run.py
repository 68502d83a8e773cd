# SPDX-License-Identifier: MIT
"""``atomics check``: read what is asked, check, write, show; the exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from rich.console import Console

from atomics import command
from atomics.command import EnvironmentUnfit, UsageError
from atomics.emulator import explore, functional, kernels, report, spec_file, target, trace_svg
from atomics.emulator.check import RIGHT, UNDECIDED, WRONG, Verdict, check, usual
from atomics.emulator.explore import Path
from atomics.emulator.fault import Undecided
from atomics.emulator.image import ImageError
from atomics.emulator.local import LocalMachine
from atomics.emulator.model import Model, ModelError, changed
from atomics.emulator.properties import Linearizable, Property
from atomics.emulator.rules import ORDERS
from atomics.emulator.scenario import Scenario, with_peers, world_of
from atomics.emulator.semantics import Semantics
from atomics.emulator.spec_file import SpecFile, SpecificationError
from atomics.emulator.specification import SPECIFICATIONS, Specification
from atomics.emulator.trace import ReplayError, lines, parse_replay
from atomics.emulator.unicorn_cpu import UnicornDecoder
from atomics.emulator.world import World, object_of
from atomics.output import Target

EXIT = {RIGHT: 0, WRONG: 1, UNDECIDED: 3}
INTERRUPTED = 130
CPUS, CALLS = 2, 1
LIMIT = 2_000_000  #: states per scenario
REPLAYED = 100_000  #: states behind a replayed path, when it is asked whether anybody can finish


@dataclass
class Request:
    """What the command line asked for."""

    target: str
    spec: str | None = None
    cpus: int | None = None  #: None: 2
    calls: int | None = None  #: None: 1
    order: str | None = None
    model: Sequence[str] = ()
    engine: str = "native"
    executor: str = "own"
    limit: int = LIMIT
    json: str | None = None
    junit: str | None = None
    svg: str | None = None
    replay: str | None = None


def list_kernels() -> str:
    """Every kernel of the table, one line each, and why others are not there."""
    named = [f"kernel:{name}" for name in sorted(kernels.kernels())]
    return "\n".join([*named, *not_checked()])


def not_checked() -> list[str]:
    """A line for each method that is refused."""
    return [f"{name} is not checked, as it {why}" for name, why in kernels.refused().items()]


class Question:
    """What a request means: the code, the operation and how it is called, the machine. Raises
    UsageError and EnvironmentUnfit, each one line that names what is wrong."""

    def __init__(self, request: Request) -> None:
        self.request = request
        try:
            self.image, kernel = target.find(request.target)
            self.spec = _spec(request, kernel)
            self.model = changed(Model(), [*(kernel.model if kernel else ()), *request.model])
            self.decoder = UnicornDecoder(request.executor == "unicorn")
        except (ImageError, SpecificationError, ModelError) as wrong:
            raise UsageError(str(wrong)) from None
        self._cpus = CPUS if request.cpus is None else request.cpus
        self._calls = CALLS if request.calls is None else request.calls
        for name, value in (("cpus", request.cpus), ("calls", request.calls)):
            if value is not None and self.spec.situations is not None:
                raise UsageError(f"{name} {value}: [[cpu]] of {request.spec} says who calls")
        self.order = request.order or self.spec.order or (kernel.order if kernel else None)
        if self.order is not None and self.order not in ORDERS:
            raise UsageError(f"order {self.order}: one of {', '.join(ORDERS)}")
        self._read = kernel.read if kernel else None
        self._initial = kernel.initial if kernel else None
        self._bytes = kernel.object_bytes if kernel else self.spec.object_bytes

    def _properties(self) -> list[Property]:
        return [Linearizable(self._read)]

    def verdict(self, progress: Callable[[str, int], None] = lambda name, states: None) -> Verdict:
        """Check it."""
        request = self.request
        return check(
            self.image,
            self.spec.specification,
            cpus=self._cpus,
            calls=self._calls,
            order=self.order,
            model=self.model,
            binding=self.spec.binding,
            object_bytes=self._bytes,
            situations=self.spec.situations,
            initial=self._initial,
            properties=self._properties,
            engine=request.engine,
            decoder=self.decoder,
            limit=request.limit,
            progress=progress,
        )

    def replayed(self, text: str) -> tuple[World, Path]:
        """The world and the path of a replay string."""
        spec = self.spec
        known = spec.situations or usual(spec.specification, self._cpus, self._calls, self.model)
        one, path = _replayed(text, known, spec.specification)
        beside = with_peers(self.image)
        made = self._initial or (lambda pair: object_of(pair, self._bytes))
        properties = self._properties()
        world = world_of(
            one, beside, spec.specification, spec.binding, self.model, made(one.initial), properties
        )
        return world, path


def run(prog: str, request: Request) -> int:
    """Check one sequence."""
    command.require_stdout()
    targets = _targets(request)
    question = Question(request)
    if request.replay is not None:
        return _show_replay(*question.replayed(request.replay), question.decoder)
    with Progress() as progress:
        verdict = question.verdict(progress.show)
    return _write(prog, verdict, targets)


def _targets(request: Request) -> dict[str, Target]:
    asked = {"json": request.json, "junit": request.junit, "svg": request.svg}
    targets: dict[str, Target] = {}
    for name, path in asked.items():
        if path is None:
            continue
        if request.replay is not None:
            raise UsageError(f"{name} {path}: a replay writes no file; leave one of them out")
        made = Target(name, path)
        other = next((one for one, there in targets.items() if there.path == made.path), None)
        if other is not None:
            raise UsageError(f"{name} {path}: {other} is written there already")
        targets[name] = made
    return targets


def _spec(request: Request, kernel: kernels.Kernel | None) -> SpecFile:
    if request.spec is not None:
        return spec_file.find(request.spec)
    if kernel is not None:
        return spec_file.find(kernel.specification.name)
    raise SpecificationError(
        "--spec is missing: the operation that the sequence should be, or a .toml file; "
        f"one of {', '.join(SPECIFICATIONS)}"
    )


def _replayed(
    text: str, situations: list[Scenario], specification: Specification
) -> tuple[Scenario, Path]:
    name, colon, steps = text.partition(":")
    known = {one.name: one for one in situations}
    if (made := functional.numbered(specification, name.strip())) is not None:
        known[made.name] = made
    if not colon or name.strip() not in known:
        raise UsageError(f"replay {text!r}: 'SCENARIO: STEPS'; scenarios here: {', '.join(known)}")
    try:
        return known[name.strip()], parse_replay(steps)
    except ReplayError as wrong:
        raise UsageError(str(wrong)) from None


def _show_replay(world: World, path: Path, decoder: UnicornDecoder) -> int:
    semantics = Semantics(world, LocalMachine(world, decoder))
    try:
        made, wrong = lines(semantics, path)
    except ReplayError as error:
        raise UsageError(str(error)) from None
    except Undecided as reason:
        raise EnvironmentUnfit(str(reason)) from None
    if wrong is None and not explore.can_finish(semantics, semantics.reached(path), REPLAYED):
        wrong = explore.STUCK
    rows = [*report.trace_rows(made), "", *report.labelled("verdict", wrong or "nothing wrong")]
    command.emit("\n".join(rows))
    return 1 if wrong else 0


def _write(prog: str, verdict: Verdict, targets: dict[str, Target]) -> int:
    made = {
        "json": lambda: json.dumps(report.document(verdict), indent=2, allow_nan=False),
        "junit": lambda: report.junit([verdict]),
        "svg": lambda: trace_svg.render(verdict),
    }
    lost: str | None = None
    for name, where in targets.items():
        try:
            where.write(made[name]())
        except OSError as error:  # the report is shown all the same
            lost = f"writing failed ({error.strerror}): {where.path}"
    text = report.text(verdict)
    if any(where.path is None for where in targets.values()):
        command.note(text)
    else:
        command.emit(text)
    if lost is not None:
        raise EnvironmentUnfit(lost)
    if verdict.interrupted:
        command.say(prog, "interrupted: what was explored is kept")
        return INTERRUPTED
    return EXIT[verdict.result]


class Progress:
    """One line on a terminal's stderr while a search runs; elsewhere a line every ten seconds."""

    def __init__(self) -> None:
        console = Console(file=sys.stderr, highlight=False) if sys.stderr else Console(quiet=True)
        self._status = console.status("exploring") if console.is_terminal else None
        self._every = 0.1 if self._status else 10.0
        self._next = monotonic() + self._every

    def __enter__(self) -> Progress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def show(self, what: str, count: int) -> None:
        if monotonic() < self._next:
            return
        self._next = monotonic() + self._every
        line = f"{what}: {count:,}"
        if self._status is not None:
            self._status.update(line)
        else:
            command.note(line)
