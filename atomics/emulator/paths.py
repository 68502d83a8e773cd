# SPDX-License-Identifier: MIT
"""The ways through one call, by one CPU: undisturbed, and with everything that others can do to it.

A path is what is executed from the call to its return. At each store-exclusive it splits into
stored and failed; at each access that depends on the object's value, into the value that is there
and another one. Two disturbances in one call show every branch of a retry loop twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from atomics.emulator.arm64 import Access, Kind, decode
from atomics.emulator.fault import Fault, Undecided
from atomics.emulator.local import Answer, Choice, Decoder, LocalMachine
from atomics.emulator.world import OBJECT, World

DISTURBANCES = 2
STEPS = 4_000  #: instructions of one path
BUDGET = 6_000  #: of all paths of one call: tens of times what a retry loop that ends takes
FOREIGN = 0x5EED_0000_0000_0001  #: added to each half of the object: a value that nobody expects
MASK64 = (1 << 64) - 1


class Executed(NamedTuple):
    """One instruction. ``access``: what it asked of the object, or None; ``stored``: it changed,
    or could have changed, the object."""

    address: int
    word: int
    access: Access | None
    stored: bool


class Path(NamedTuple):
    """``results`` None: cut off, or ended by a fault."""

    steps: tuple[Executed, ...]
    results: dict[str, Any] | None
    fault: Fault | None = None


def paths(world: World, decoder: Decoder = decode) -> Iterator[Path]:
    """The ways through CPU 0's first call. Changes nothing of ``world`` but makes its model one in
    which every instruction is a step and pairs are whole."""
    model = replace(world.model, step="instruction", pairs="atomic", monitor="granule")
    alone = replace(world, calls=[world.calls[0][:1]], model=model, properties=[])
    yield from _Walker(alone, decoder).all()


class _Walker:
    def __init__(self, world: World, decoder: Decoder) -> None:
        self.world, self.local = world, LocalMachine(world, decoder)
        self.left = BUDGET

    def all(self) -> Iterator[Path]:
        try:
            begin = self.local.begin(0)
        except (Fault, Undecided):
            return
        if begin.fault is not None:
            yield Path((), None, begin.fault)
        else:
            yield from self._from(begin.next, self.world.memory, (), DISTURBANCES)

    def _from(
        self, number: int, memory: bytes, steps: tuple[Executed, ...], left: int
    ) -> Iterator[Path]:
        """Every path on from a local state; a straight piece is followed in a loop."""
        made = list(steps)
        while self.left > 0:
            asked = self.local.pending[number]
            if asked is None or len(made) > STEPS:
                return
            pc = self.local.states[number].pc
            word = self.world.image.word(pc) or 0
            ways = self._ways(asked, memory, left)
            for way in ways[1:]:
                yield from self._step(number, word, pc, asked, way, made)
            done = self._taken(number, word, pc, asked, ways[0], made)
            if done is None:
                return
            answer, memory, left = done
            if answer.fault is not None:
                yield Path(tuple(made), None, self._judged(answer.fault, left))
                return
            for event in answer.events:
                if event.results is not None:
                    yield Path(tuple(made), dict(event.results))
                    return
            number = answer.next

    def _step(
        self, number: int, word: int, pc: int, asked: Access, way: _Way, before: list[Executed]
    ) -> Iterator[Path]:
        """The paths that begin with one of the other ways."""
        made = list(before)
        done = self._taken(number, word, pc, asked, way, made)
        if done is None:
            return
        answer, memory, left = done
        results = next((e.results for e in answer.events if e.results is not None), None)
        if answer.fault is not None or results is not None:
            fault = self._judged(answer.fault, left)
            yield Path(tuple(made), None if results is None else dict(results), fault)
        else:
            yield from self._from(answer.next, memory, tuple(made), left)

    def _judged(self, fault: Fault | None, left: int) -> Fault | None:
        """Where CPUs reach each other's blocks the object may hold pointers, and the value that
        nobody expects is none: an access that goes astray then is no fault of the sequence."""
        astray = fault is not None and fault.rule in ("stray-access", "alignment")
        return None if astray and self.world.lots and left < DISTURBANCES else fault

    def _ways(self, asked: Access, memory: bytes, left: int) -> list[_Way]:
        if asked.kind is Kind.STORE_EXCLUSIVE:
            ways = [_Way(Choice.STORED, memory, left)]
            return ways + [_Way(Choice.FAILED, memory, left - 1)] * (left > 0)
        ways = [_Way(Choice.WHOLE, memory, left)]
        if left > 0 and asked.kind in (Kind.READ, Kind.UPDATE):
            ways.append(_Way(Choice.WHOLE, _changed(memory), left - 1))
        return ways

    def _taken(
        self, number: int, word: int, pc: int, asked: Access, way: _Way, made: list[Executed]
    ) -> tuple[Answer, bytes, int] | None:
        """One step; notes it. None: the machine cannot follow it."""
        self.left -= 1
        at = asked.address - OBJECT
        value = 0
        if asked.kind in (Kind.READ, Kind.UPDATE):
            value = int.from_bytes(way.memory[at : at + asked.size], "little")
        try:
            answer = self.local.step(number, way.choice, value)
        except (Fault, Undecided):
            return None
        stored = asked.kind is not Kind.STEP and answer.store is not None
        memory = way.memory
        if stored:
            assert answer.store is not None
            new = answer.store.to_bytes(asked.size, "little")
            memory = memory[:at] + new + memory[at + asked.size :]
        made.append(Executed(pc, word, None if asked.kind is Kind.STEP else asked, stored))
        return answer, memory, way.left


class _Way(NamedTuple):
    choice: Choice
    memory: bytes  #: the object when the step happens
    left: int  #: disturbances that are left after it


def _changed(memory: bytes) -> bytes:
    """Another value in each 8 bytes."""
    words = (int.from_bytes(memory[at : at + 8], "little") for at in range(0, len(memory), 8))
    return b"".join((word + FOREIGN & MASK64).to_bytes(8, "little") for word in words)
