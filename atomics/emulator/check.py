# SPDX-License-Identifier: MIT
"""The check of one sequence: its scenarios, each explored, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from atomics.emulator import explore as python
from atomics.emulator.arm64 import Kind, decode
from atomics.emulator.calls import BINDINGS, Binding
from atomics.emulator.explore import Found
from atomics.emulator.fault import Fault, Undecided
from atomics.emulator.image import Image
from atomics.emulator.local import Choice, Decoder, LocalMachine
from atomics.emulator.model import Model
from atomics.emulator.properties import Linearizable, Property
from atomics.emulator.scenario import (
    Scenario,
    calls_of,
    scenarios,
    with_peers,
    without_peers,
)
from atomics.emulator.semantics import Semantics
from atomics.emulator.specification import Pair, Specification
from atomics.emulator.trace import Line, lines, replay_text
from atomics.emulator.world import World

RIGHT, WRONG, UNDECIDED = "right", "wrong", "not decided"

#: what no verdict of this checker says
LIMITS = (
    "sequentially consistent interleavings; ordering between locations is not judged yet",
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


@dataclass
class Verdict:
    """What is known of a sequence. ``attempts``: store-exclusives and read-modify-writes that one
    call needs when nobody interferes."""

    image: Image
    specification: Specification
    model: Model
    findings: list[str]
    explored: list[Explored]
    attempts: int | None
    interrupted: bool = False

    @property
    def result(self) -> str:
        results = {one.result for one in self.explored}
        if WRONG in results or self.findings:
            return WRONG
        if UNDECIDED in results or self.interrupted or not self.explored:
            return UNDECIDED
        return RIGHT


def native_or_python(name: str) -> Explore:
    """The explorer of that name: "native" or "python"."""
    if name == "python":
        return python.explore
    from atomics.emulator import native

    return native.explore


def _memory(pair: Pair, size: int) -> bytes:
    return (pair[1] << 64 | pair[0]).to_bytes(16, "little") + bytes(size - 16)


def findings(image: Image) -> list[str]:
    """Words of the entry's symbol that the architecture leaves undefined or unpredictable."""
    found = []
    for address in range(image.entry, image.end or image.limit, 4):
        problem = decode(image.word(address) or 0, address).problem
        if problem is not None:
            found.append(f"{image.symbol_at(address)}: {problem}")
    return found


def attempts_alone(world: World) -> int | None:
    """Stores that CPU 0's first call attempts alone; None if that cannot be said."""
    alone = World(world.image, [world.calls[0][:1]], world.memory, world.model)
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
    model: Model | None = None,
    binding: Binding | None = None,
    object_bytes: int = 16,
    situations: Sequence[Scenario] | None = None,
    initial: Callable[[Pair], bytes] | None = None,
    properties: Callable[[], list[Property]] = lambda: [Linearizable()],
    engine: str = "native",
    decoder: Decoder = decode,
    limit: int = 2_000_000,
    progress: Callable[[str, int], None] = lambda name, states: None,
) -> Verdict:
    """Explore every interleaving of ``cpus`` CPUs that make ``calls`` calls each, in each scenario.

    Args: ``binding`` how the sequence is called (default: our C prototypes); ``object_bytes`` size
    of the shared object, a multiple of 16; ``situations`` instead of the default scenarios;
    ``initial`` makes the object from a pair where it is more than the pair; ``engine`` "native" or
    "python"; ``limit`` states per scenario, beyond which the result is "not decided".
    Raises ValueError for what cannot be asked; Ctrl-C keeps what was explored.
    """
    if not 1 <= cpus <= 8:
        raise ValueError(f"cpus {cpus}: 1 to 8")
    if not 1 <= calls <= 16:
        raise ValueError(f"calls {calls}: 1 to 16")
    model = model or Model()
    chosen = binding or BINDINGS[specification.name]
    beside = with_peers(image)
    asked: Iterable[Scenario | None] = situations or scenarios(specification, cpus, calls)
    if model.page == "readonly" and situations is None:
        asked = [without_peers(one) for one in asked if one is not None]
    verdict = Verdict(image, specification, model, findings(image), [], None)
    made = initial or (lambda pair: _memory(pair, object_bytes))
    try:
        for one in asked:
            if one is None:
                continue
            world = World(
                beside,
                calls_of(one, beside, specification, chosen),
                made(one.initial),
                model,
                properties(),
                one.name,
            )
            if verdict.attempts is None:
                verdict.attempts = attempts_alone(world)
            searched = _explored(one, world, engine, decoder, limit, progress)
            verdict.explored.append(searched)
            if searched.result == WRONG:
                break
    except KeyboardInterrupt:
        verdict.interrupted = True
    return verdict


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
            semantics, limit, lambda states: progress(one.name, states)
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
        result.result, result.reason = WRONG, found.wrong
        result.replay = replay_text(found.path)
        result.trace, _ = lines(semantics, found.path)
        result.reason += torn_note(result)
    return result


def torn_note(one: Explored) -> str:
    """What to add where a returned pair never was the object's value."""
    if not one.trace or one.trace[-1].returned is None:
        return ""
    held = {line.before for line in one.trace} | {one.trace[-1].after}
    semantics = Semantics(one.world, LocalMachine(one.world))
    returned = _last_pairs(one, semantics)
    torn = [pair for pair in returned if pair not in held]
    return "; torn: the object never held that pair" if torn else ""


def _last_pairs(one: Explored, semantics: Semantics) -> list[Pair]:
    """The pairs among the results of the last return of a trace."""
    from atomics.emulator.trace import parse_replay

    path = parse_replay(one.replay or "")
    state = semantics.initial().state
    for cpu, choice in path[:-1]:
        assert state is not None
        state = semantics.step(state, cpu, choice).state
    assert state is not None
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
