# SPDX-License-Identifier: MIT
"""Thousands of calls with random and edge operands, disturbed at random points.

Exploring is complete for a few values; this is incomplete for many: halves of all ones, top bits,
carries, pairs that share a half. Each run is one random way through the same machine, beside a CPU
that writes pairs of its own: store-exclusives fail, reads tear, compare-and-swaps miss, and what is
returned must be linearizable all the same. A run's number determines it, so that it runs again.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from atomics.emulator.arm64 import Kind
from atomics.emulator.explore import Path
from atomics.emulator.local import Choice
from atomics.emulator.scenario import Arguments, Scenario
from atomics.emulator.semantics import Semantics, State
from atomics.emulator.specification import MASK64, Pair, Specification, number, pair_of

RUNS = 300
STEPS = 1_000  #: of one run; one that takes longer is cut
CUT = 10  #: runs that were cut, after which there are no more
PREFIX = "random "
BITS = 128  #: runs of a compare-and-swap that miss by one bit
EQUAL = ((0, 0), (MASK64, MASK64))  #: pairs that a lazy choice of operands may hit
EDGES = (0, 1, 2, MASK64, MASK64 - 1, 1 << 63, (1 << 63) - 1, 1 << 32, (1 << 32) - 1, 0x0F0F)


@dataclass(frozen=True)
class Walked:
    """One run: ``wrong`` None if nothing went wrong, ``path`` as of an exploration; ``cut``: it
    did not end."""

    wrong: str | None
    path: Path
    cut: bool = False


def _half(rng: random.Random) -> int:
    return rng.choice(EDGES) if rng.random() < 0.5 else rng.getrandbits(64)


def _pair(rng: random.Random) -> Pair:
    return _half(rng), _half(rng)


def _near(rng: random.Random, known: list[Pair]) -> Pair:
    """A pair that was or will be there, a mixture of two of them, one bit beside it, or any."""
    kind = rng.random()
    if kind < 0.5:
        return rng.choice(known)
    if kind < 0.7:
        return rng.choice(known)[0], rng.choice(known)[1]
    if kind < 0.9:
        return pair_of(number(rng.choice(known)) ^ 1 << rng.randrange(128))
    return _pair(rng)


def _reservation(rng: random.Random, known: list[Pair]) -> int:
    return 8 * rng.randrange(3, 1 << rng.randrange(3, 17))


def _any(rng: random.Random, known: list[Pair]) -> Pair:
    return _pair(rng)


def _any_half(rng: random.Random, known: list[Pair]) -> int:
    return _half(rng)


Operand = Callable[[random.Random, list[Pair]], Any]
_OPERANDS: dict[str, Operand] = {
    "desired": _any,
    "expected": _near,
    "operand": _any,
    "size": _reservation,
}


def _reserves(specification: Specification) -> bool:
    return "size" in specification.arguments


def scenario(specification: Specification, run: int) -> Scenario:
    """The situation of one run: one call, or two of a reservation, beside a writer and a reader.

    The first 128 runs of a compare-and-swap miss by one bit each; a third of a weak one's others
    are undisturbed hits, which may not fail."""
    rng = random.Random(f"{specification.name} {run}")
    name = f"{PREFIX}{run}"
    if _reserves(specification):
        return _reservations(specification, name, rng)
    initial = rng.choice(EQUAL) if rng.random() < 0.1 else _pair(rng)
    compares = "expected" in specification.arguments
    if compares and run < BITS:
        beside_it = pair_of(number(initial) ^ 1 << run)
        miss: Arguments = (("expected", beside_it), ("desired", _pair(rng)))
        return Scenario(name, initial, ((("", miss),), (("peer_load", ()),)))
    if specification.undisturbed is not None and run % 3 == 0:
        hit: Arguments = (("expected", initial), ("desired", _near(rng, [initial])))
        return Scenario(name, initial, ((("", hit),),), undisturbed=True)
    written = [_near(rng, [initial]) for _ in range(rng.randrange(3))]
    mine = _call(specification, rng, [initial, *written])
    writes = tuple(("peer_store", (("desired", pair),)) for pair in written)
    return Scenario(name, initial, ((mine,), (*writes, ("peer_load", ()))))


def _reservations(specification: Specification, name: str, rng: random.Random) -> Scenario:
    tip = 8 * rng.randrange(512, 1 << rng.choice((20, 30, 41)))
    initial = tip, tip - 8 * rng.randrange(3, 512)
    calls = [_call(specification, rng, [initial]) for _ in range(3)]
    return Scenario(name, initial, ((calls[0], calls[1]), (calls[2],)))


def _call(
    specification: Specification, rng: random.Random, known: list[Pair]
) -> tuple[str, Arguments]:
    made = []
    for argument in specification.arguments:
        half = argument == "operand" and specification.size == 8
        operand = _any_half if half else _OPERANDS[argument]
        made.append((argument, operand(rng, known)))
    return "", tuple(made)


def numbered(specification: Specification, name: str) -> Scenario | None:
    """The situation of that name, or None if it is no random one."""
    rest = name.removeprefix(PREFIX)
    return scenario(specification, int(rest)) if rest != name and rest.isdigit() else None


def walk(semantics: Semantics, seed: str) -> Walked:
    """One random way to the end, or until something goes wrong."""
    rng = random.Random(seed)
    begin = semantics.initial()
    path: Path = []
    if begin.state is None:
        return Walked(begin.wrong, path)
    state: State = begin.state
    while not semantics.finished(state) and len(path) < STEPS:
        cpu, choice = _next(rng, semantics, state)
        step = semantics.step(state, cpu, choice)
        path.append((cpu, choice))
        if step.state is None:
            return Walked(step.wrong, path)
        state = step.state
    if not semantics.finished(state):
        return Walked(None, path, True)
    return Walked(semantics.judged(state.watched, state.memory), path)


def _next(rng: random.Random, semantics: Semantics, state: State) -> tuple[int, Choice]:
    pending = semantics.local.pending
    ready = [cpu for cpu, number in enumerate(state.locals) if pending[number] is not None]
    cpu = rng.choice(ready)
    asked = pending[state.locals[cpu]]
    assert asked is not None
    choices = list(semantics.choices(state, cpu, asked))
    if asked.kind is Kind.STORE_EXCLUSIVE and Choice.STORED in choices and rng.random() < 0.7:
        return cpu, Choice.STORED
    return cpu, rng.choice(choices)
