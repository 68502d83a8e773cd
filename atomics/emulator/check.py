# SPDX-License-Identifier: MIT
"""The check of one sequence: rules, its scenarios, each explored, random runs, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from atomics.emulator import explore, functional, paths, rules
from atomics.emulator.arm64 import Kind, decode
from atomics.emulator.calls import BINDINGS, Binding
from atomics.emulator.explore import Found
from atomics.emulator.fault import Fault, Undecided
from atomics.emulator.image import Image
from atomics.emulator.local import Choice, Decoder, LocalMachine
from atomics.emulator.model import Model
from atomics.emulator.paths import Path
from atomics.emulator.properties import Linearizable, Property
from atomics.emulator.rules import ERROR, ORDERS, Finding, Subject
from atomics.emulator.scenario import (
    Scenario,
    scenarios,
    unwritten,
    with_peers,
    world_of,
)
from atomics.emulator.semantics import Semantics
from atomics.emulator.specification import SPECIFICATIONS, Pair, Specification
from atomics.emulator.trace import Line, lines, replay_text
from atomics.emulator.world import World, object_of

ORDERED = 12  #: random operands with which a claimed order is looked for too
RIGHT, WRONG, UNDECIDED = "right", "wrong", "not decided"

#: what no verdict of this checker says
LIMITS = (
    "sequentially consistent interleavings; order between places only by pattern, where claimed",
    "silicon errata are not modelled",
)

Explore = Callable[[Semantics, int, Callable[[int], None]], Found]


@dataclass
class Explored:
    """One scenario: what was searched, how far, and, where it goes wrong, a shortest trace."""

    scenario: Scenario
    world: World
    result: str
    seconds: float
    states: int = 0
    transitions: int = 0
    complete: bool = False
    reason: str | None = None
    replay: str | None = None
    trace: list[Line] = field(default_factory=list)
    repeats: int | None = None  #: steps of the trace after which it goes round and round


@dataclass
class Walks:
    """Random runs (functional.py); ``wrong``: the first that went wrong."""

    runs: int
    seconds: float
    wrong: Explored | None = None


@dataclass
class Verdict:
    """What is known of a sequence. ``attempts``: store-exclusives and read-modify-writes that one
    call needs when nobody interferes."""

    image: Image
    specification: Specification
    model: Model
    findings: list[Finding]
    explored: list[Explored]
    attempts: int | None
    order: str | None = None
    walks: Walks | None = None
    interrupted: bool = False

    @property
    def states(self) -> int:
        """Of all scenarios together."""
        return sum(one.states for one in self.explored)

    @property
    def errors(self) -> list[Finding]:
        """Findings that make the sequence wrong."""
        return [one for one in self.findings if one.severity == ERROR]

    @property
    def result(self) -> str:
        results = {one.result for one in self.explored}
        if WRONG in results or self.errors or (self.walks and self.walks.wrong):
            return WRONG
        if UNDECIDED in results or self.interrupted or not self.explored:
            return UNDECIDED
        return RIGHT


def native_or_python(name: str) -> Explore:
    """The explorer of that name: "native" or "python"."""
    if name == "python":
        return explore.explore
    from atomics.emulator import native

    return native.explore


def usual(specification: Specification, cpus: int, calls: int, model: Model) -> list[Scenario]:
    """The default scenarios on a machine."""
    made = unwritten if model.page == "readonly" else scenarios
    return made(specification, cpus, calls)


def attempts_alone(world: World) -> int | None:
    """Stores that CPU 0's first call attempts alone; None if that cannot be said."""
    alone = replace(world, calls=[world.calls[0][:1]], properties=[])
    semantics = Semantics(alone, LocalMachine(alone))
    try:
        state = semantics.initial().state
        attempts = 0
        for _ in range(10_000):
            if state is None or semantics.finished(state):
                break
            asked = semantics.local.pending[state.locals[0]]
            assert asked is not None
            attempts += asked.kind in (Kind.STORE_EXCLUSIVE, Kind.UPDATE)
            state = next(iter(semantics.steps(state))).state
        return attempts if state is not None and semantics.finished(state) else None
    except (Fault, Undecided):
        return None


def check(
    image: Image,
    specification: Specification,
    *,
    cpus: int = 2,
    calls: int = 1,
    order: str | None = None,
    model: Model | None = None,
    binding: Binding | None = None,
    object_bytes: int = 16,
    situations: Sequence[Scenario] | None = None,
    initial: Callable[[Pair], bytes] | None = None,
    properties: Callable[[], list[Property]] = lambda: [Linearizable()],
    engine: str = "native",
    decoder: Decoder = decode,
    limit: int = 2_000_000,
    runs: int = functional.RUNS,
    progress: Callable[[str, int], None] = lambda what, count: None,
) -> Verdict:
    """Hold a sequence against the rules, explore every interleaving of ``cpus`` CPUs that make
    ``calls`` calls each, in each scenario, and run it ``runs`` times with random operands.

    Args: ``order`` what it claims (rules.ORDERS; None: nothing); ``binding`` how the sequence is
    called (default: our C prototypes); ``object_bytes`` size of the shared object, a multiple of
    16; ``situations`` instead of the default scenarios, and then no random runs; ``initial`` makes
    the object from a pair where it is more than the pair; ``engine`` "native" or "python";
    ``limit`` states per scenario, beyond which the result is "not decided".
    Raises ValueError for what cannot be asked; Ctrl-C keeps what was explored.
    """
    if not 1 <= cpus <= 8:
        raise ValueError(f"cpus {cpus}: 1 to 8")
    if not 1 <= calls <= 16:
        raise ValueError(f"calls {calls}: 1 to 16")
    if order is not None and order not in ORDERS:
        raise ValueError(f"order {order}: one of {', '.join(ORDERS)}")
    model = model or Model()
    chosen = binding or BINDINGS[specification.name]
    beside = with_peers(image)
    made = initial or (lambda pair: object_of(pair, object_bytes))

    def world(one: Scenario) -> World:
        memory = made(one.initial)
        return world_of(one, beside, specification, chosen, model, memory, properties())

    asked = list(situations or usual(specification, cpus, calls, model))
    verdict = Verdict(image, specification, model, [], [], None, order)
    try:
        known = SPECIFICATIONS.get(specification.name) is specification
        values = list(asked)
        if known and order is not None and situations is None:
            last = functional.BITS + ORDERED
            values += [functional.scenario(specification, n) for n in range(functional.BITS, last)]
        verdict.findings = _findings(list(map(world, values)), verdict, chosen, decoder)
        for one in asked:
            this = world(one)
            if verdict.attempts is None:
                verdict.attempts = attempts_alone(this)
            try:
                searched = _explored(one, this, engine, decoder, limit, progress)
            except KeyboardInterrupt:
                verdict.explored.append(Explored(one, this, UNDECIDED, 0.0, reason="interrupted"))
                raise
            verdict.explored.append(searched)
            if searched.result == WRONG:
                return verdict
        if known and situations is None and model.page != "readonly":
            verdict.walks = _walked(specification, world, decoder, runs, progress)
    except KeyboardInterrupt:
        verdict.interrupted = True
    return verdict


def _findings(
    worlds: list[World], verdict: Verdict, binding: Binding, decoder: Decoder
) -> list[Finding]:
    """What the rules find on every path of the calls that are under check."""
    specification = verdict.specification
    found: list[Path] = []
    for one in worlds:
        if one.calls[0][0].entry == verdict.image.entry:
            found += paths.paths(one, decoder)
    subject = Subject(
        verdict.image,
        binding,
        tuple(found),
        verdict.order,
        loads=specification.loads,
        stores=not specification.results,
        size=specification.size,
    )
    return rules.findings(subject)


def _walked(
    specification: Specification,
    world: Callable[[Scenario], World],
    decoder: Decoder,
    runs: int,
    progress: Callable[[str, int], None],
) -> Walks:
    start = perf_counter()
    made, cut = Walks(0, 0.0), 0
    for number in range(runs):
        one = functional.scenario(specification, number)
        this = world(one)
        semantics = Semantics(this, LocalMachine(this, decoder))
        try:
            walked = functional.walk(semantics, one.name)
        except Undecided:
            break  # the exploration says so
        made.runs += 1
        cut += walked.cut
        if cut == functional.CUT:
            break
        if number % 32 == 0:
            progress("random runs", number)
        if walked.wrong is not None:
            made.wrong = Explored(one, this, WRONG, perf_counter() - start)
            _explain(made.wrong, semantics, walked.path, walked.wrong)
            break
    made.seconds = perf_counter() - start
    return made


def _explored(
    one: Scenario,
    world: World,
    engine: str,
    decoder: Decoder,
    limit: int,
    progress: Callable[[str, int], None],
) -> Explored:
    start = perf_counter()
    semantics = Semantics(world, LocalMachine(world, decoder))
    try:
        found = native_or_python(engine)(
            semantics, limit, lambda states: progress(f"{one.name}, states", states)
        )
    except MemoryError:
        seconds = perf_counter() - start
        return Explored(one, world, UNDECIDED, seconds, reason="out of memory; lower --limit")
    result = Explored(
        one,
        world,
        RIGHT,
        perf_counter() - start,
        found.states,
        found.transitions,
        found.complete,
    )
    if not found.complete:
        result.result, result.reason = UNDECIDED, found.undecided or f"bounded at {limit} states"
    if found.wrong is not None:
        assert found.path is not None
        result.result = WRONG
        path = found.path
        if found.stuck:
            path, result.repeats = explore.around(semantics, path)
        _explain(result, semantics, path, found.wrong)
    return result


def _explain(result: Explored, semantics: Semantics, path: explore.Path, wrong: str) -> None:
    """Put the trace and what can be said of it into a result."""
    result.replay = replay_text(path)
    result.trace, _ = lines(semantics, path)
    result.reason = wrong + _torn_note(result.trace, semantics, path)


def _torn_note(trace: list[Line], semantics: Semantics, path: explore.Path) -> str:
    """What to add where a returned pair never was the object's value."""
    if not trace or trace[-1].returned is None:
        return ""
    held = {line.before for line in trace} | {trace[-1].after}
    torn = [pair for pair in _last_pairs(semantics, path) if pair not in held]
    return "; torn: the object never held that pair" if torn else ""


def _last_pairs(semantics: Semantics, path: explore.Path) -> list[Pair]:
    """The pairs among the results of the last return of a path."""
    state = semantics.reached(path[:-1])
    cpu, choice = path[-1]
    if choice is Choice.EXCEPTION:
        return []
    answer = semantics.answer_at(state, cpu, choice)
    return [
        value
        for event in answer.events
        for _, value in event.results or ()
        if isinstance(value, tuple) and len(value) == 2
    ]
