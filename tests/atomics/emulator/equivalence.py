# SPDX-License-Identifier: MIT
"""Do two sequences behave alike, whatever the memory answers?

Their local states are walked side by side. Two states are alike if they ask the same of the object
and, for every answer, store the same, begin and return the same, and lead to states that are alike
(a bisimulation). Answers are taken from the pair that is there and those that the CPU was given,
their mixtures, and one that nobody expects: what other CPUs were given it tells from that by
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from atomics.emulator.arm64 import Access, Kind
from atomics.emulator.fault import Fault, Undecided
from atomics.emulator.local import Answer, Choice, LocalMachine
from atomics.emulator.world import World

FOREIGN = 0x5EED_0000_0000_0001
LIMIT = 20_000  #: pairs of states


def _halves(world: World) -> list[int]:
    found = {FOREIGN}
    found |= {int.from_bytes(world.memory[at : at + 8], "little") for at in (0, 8)}
    for call in world.calls[0]:
        for value in call.given.values():
            found |= set(value) if isinstance(value, tuple) else {value}
    return sorted(found)


def _answers(asked: Access, halves: list[int]) -> Iterator[tuple[Choice, int]]:
    if asked.kind is Kind.STORE_EXCLUSIVE:
        yield from ((Choice.STORED, 0), (Choice.FAILED, 0))
    elif asked.kind is Kind.WRITE:
        ways = (Choice.LOW, Choice.HIGH) if asked.part else (Choice.WHOLE,)
        yield from ((way, 0) for way in ways)
    elif asked.part:
        yield from product((Choice.LOW, Choice.HIGH), halves)
    elif asked.size == 16:
        yield from ((Choice.WHOLE, hi << 64 | lo) for lo, hi in product(halves, halves))
    else:
        yield from ((Choice.WHOLE, half) for half in halves)


def _said(answer: Answer) -> object:
    """What a step shows to the outside."""
    return answer.store, answer.clears, answer.events, answer.fault is None


class Side:
    """One of the two: what it answered is kept, as ours is held against each of its mutants."""

    def __init__(self, world: World) -> None:
        self.machine = LocalMachine(world)
        self.halves = _halves(world)
        self._answers: dict[tuple[int, Choice, int], Answer] = {}

    def step(self, number: int, choice: Choice, value: int) -> Answer:
        key = number, choice, value
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self.machine.step(*key)
        return answer


def equivalent(ours: Side, theirs: Side) -> bool:
    """The two worlds differ in their image only. False also where it cannot be said."""
    sides = ours, theirs
    try:
        begins = [side.machine.begin(0) for side in sides]
        todo = [(begins[0].next, begins[1].next)]
        seen = set(todo)
        while todo and len(seen) < LIMIT:
            numbers = todo.pop()
            asked = [s.machine.pending[n] for s, n in zip(sides, numbers, strict=True)]
            if asked[0] != asked[1]:
                return False
            if asked[0] is None:
                continue
            for choice, value in _answers(asked[0], ours.halves):
                made = [s.step(n, choice, value) for s, n in zip(sides, numbers, strict=True)]
                if _said(made[0]) != _said(made[1]):
                    return False
                reached = made[0].next, made[1].next
                if made[0].fault is None and reached not in seen:
                    seen.add(reached)
                    todo.append(reached)
    except (Fault, Undecided):
        return False
    return not todo
