# SPDX-License-Identifier: MIT
"""What one step of one CPU does to everything that CPUs share: memory, reservations, properties.

This is the meaning of the model, in Python; the native explorer (csrc/explore) is the same again in
C, and tests hold the two against each other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from atomics.emulator.arm64 import Access, Kind
from atomics.emulator.calls import Call
from atomics.emulator.local import Answer, Choice, Event, LocalMachine
from atomics.emulator.properties import Violation
from atomics.emulator.world import OBJECT, World

Monitor = tuple[int, int, int] | None  #: address, bytes, value that was loaded (0 unless compared)


class State(NamedTuple):
    """Everything, between two steps. ``spurious``: failures without a reason that are left."""

    memory: bytes
    watched: tuple[Hashable, ...]
    locals: tuple[int, ...]
    monitors: tuple[Monitor, ...]
    spurious: int


class Step(NamedTuple):
    """One transition: which CPU, which way, where to, and the line that says what went wrong;
    ``memory`` is the object afterwards where a step goes wrong after its access."""

    cpu: int
    choice: Choice
    state: State | None
    wrong: str | None = None
    memory: bytes | None = None


class Semantics:
    """The transitions of one world."""

    def __init__(self, world: World, local: LocalMachine) -> None:
        self.world, self.local, self.model = world, local, world.model
        self._answers: dict[tuple[int, Choice, int], Answer] = {}

    def initial(self) -> Step:
        """The state before the first step, as a step of nobody."""
        calls, memory = self.world.calls, self.world.memory
        watched = tuple(one.initial(calls, memory) for one in self.world.properties)
        numbers = []
        for cpu in range(len(calls)):
            answer = self.local.begin(cpu)
            try:
                watched = self.watch(watched, cpu, answer.events)
            except Violation as violation:
                return Step(cpu, Choice.WHOLE, None, str(violation))
            if answer.fault is not None:
                return Step(cpu, Choice.WHOLE, None, str(answer.fault))
            numbers.append(answer.next)
        spurious = -1 if self.model.spurious is None else self.model.spurious
        state = State(memory, watched, tuple(numbers), (None,) * len(calls), spurious)
        return Step(0, Choice.WHOLE, state)

    def finished(self, state: State) -> bool:
        return all(self.local.pending[number] is None for number in state.locals)

    def judged(self, watched: tuple[Any, ...], memory: bytes) -> str | None:
        """What a property says of a state in which every CPU is through; None: nothing."""
        for one, state in zip(self.world.properties, watched, strict=True):
            try:
                one.finished(state, memory)
            except Violation as violation:
                return str(violation)
        return None

    def reached(self, path: list[tuple[int, Choice]]) -> State:
        """The state at the end of a path on which nothing goes wrong."""
        state = self.initial().state
        for cpu, choice in path:
            assert state is not None
            state = self.step(state, cpu, choice).state
        assert state is not None
        return state

    def told(self, path: list[tuple[int, Choice]]) -> str | None:
        """What goes wrong at the end of a path, or None."""
        state = self.initial().state
        for cpu, choice in path:
            assert state is not None
            step = self.step(state, cpu, choice)
            if step.wrong is not None:
                return step.wrong
            state = step.state
        assert state is not None
        return self.judged(state.watched, state.memory) if self.finished(state) else None

    def steps(self, state: State) -> Iterator[Step]:
        """Every transition out of a state, in a fixed order: by CPU, then by choice."""
        for cpu, number in enumerate(state.locals):
            asked = self.local.pending[number]
            if asked is None:
                continue
            for choice in self.choices(state, cpu, asked):
                yield self.step(state, cpu, choice)

    def choices(self, state: State, cpu: int, asked: Access) -> Iterator[Choice]:
        monitor = state.monitors[cpu]
        if asked.kind is Kind.STORE_EXCLUSIVE:
            if monitor is not None and self._holds(state, monitor, asked):
                yield Choice.STORED
                if state.spurious:
                    yield Choice.FAILED
            else:
                yield Choice.FAILED
        elif asked.part:
            yield Choice.LOW
            yield Choice.HIGH
        else:
            yield Choice.WHOLE
        if self.model.exceptions == "on" and monitor is not None:
            yield Choice.EXCEPTION

    def _holds(self, state: State, monitor: Monitor, asked: Access) -> bool:
        """May this store-exclusive store? Where address or size differ the step goes wrong."""
        assert monitor is not None
        if self.model.monitor == "granule":
            return True
        return monitor[0] == asked.address and monitor[2] == _read(state.memory, asked)

    def step(self, state: State, cpu: int, choice: Choice) -> Step:
        """One transition."""
        asked = self.local.pending[state.locals[cpu]]
        assert asked is not None
        monitors = list(state.monitors)
        if choice is Choice.EXCEPTION:
            monitors[cpu] = None
            return Step(cpu, choice, state._replace(monitors=tuple(monitors)))
        wrong = self.refused(state, cpu, asked)
        if wrong is not None:
            return Step(cpu, choice, None, wrong)
        part = _reached(asked, choice)
        answer = self.answer_at(state, cpu, choice)
        memory, spurious = state.memory, state.spurious
        stores = answer.store is not None or (
            asked.kind is Kind.UPDATE and self.model.cas_miss == "write"
        )
        if stores and asked.kind is not Kind.STEP:
            if answer.store is not None:
                memory = _written(memory, part, answer.store)
            self._end_reservations(monitors, cpu, part)
        if asked.exclusive:
            remembered = _read(state.memory, part) if self.model.monitor == "value" else 0
            monitors[cpu] = (asked.address, asked.size, remembered)
        elif asked.kind is Kind.STORE_EXCLUSIVE:
            if choice is Choice.FAILED and monitors[cpu] is not None and spurious > 0:
                spurious -= self._spurious(state, cpu, asked)
            monitors[cpu] = None
        if answer.clears:
            monitors[cpu] = None
        try:
            watched = self.watch(state.watched, cpu, answer.events)
        except Violation as violation:
            return Step(cpu, choice, None, str(violation), memory)
        if answer.fault is not None:
            return Step(cpu, choice, None, str(answer.fault), memory)
        numbers = (*state.locals[:cpu], answer.next, *state.locals[cpu + 1 :])
        return Step(cpu, choice, State(memory, watched, numbers, tuple(monitors), spurious))

    def _spurious(self, state: State, cpu: int, asked: Access) -> int:
        """1 if a failure had no reason: the store-exclusive could have stored."""
        monitor = state.monitors[cpu]
        return int(monitor is not None and self._holds(state, monitor, asked))

    def refused(self, state: State, cpu: int, asked: Access) -> str | None:
        """An access that faults or has no defined effect."""
        if self.model.page == "readonly" and asked.kind not in (Kind.READ, Kind.STEP):
            return "writes, or may write, an object on a read-only page: a data abort"
        monitor = state.monitors[cpu]
        if asked.kind is not Kind.STORE_EXCLUSIVE or monitor is None:
            return None
        if self.model.monitor == "granule" and monitor[:2] != (asked.address, asked.size):
            return (
                f"store-exclusive of {asked.size} bytes at offset {asked.address - OBJECT} after a "
                f"load-exclusive of {monitor[1]} at offset {monitor[0] - OBJECT}: "
                "CONSTRAINED UNPREDICTABLE"
            )
        return None

    def _end_reservations(self, monitors: list[Monitor], cpu: int, part: Access) -> None:
        """A performed store ends the reservations of its granule; failing ones end nobody's."""
        if self.model.monitor == "value":
            return
        low, high = self._granules(part.address, part.size)
        for other, monitor in enumerate(monitors):
            if monitor is None or (other == cpu and self.model.own_store == "keep"):
                continue
            first, last = self._granules(monitor[0], monitor[1])
            if first <= high and last >= low:
                monitors[other] = None

    def _granules(self, address: int, size: int) -> tuple[int, int]:
        """The first and the last granule of some bytes of the object."""
        offset = address - OBJECT
        return offset // self.model.granule, (offset + size - 1) // self.model.granule

    def answer(self, number: int, choice: Choice, value: int) -> Answer:
        """What a local state becomes, computed once."""
        key = (number, choice, value)
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self.local.step(number, choice, value)
        return answer

    def answer_at(self, state: State, cpu: int, choice: Choice) -> Answer:
        """The answer to one way of a CPU's next step."""
        number = state.locals[cpu]
        asked = self.local.pending[number]
        assert asked is not None
        value = 0
        if asked.kind in (Kind.READ, Kind.UPDATE):
            value = _read(state.memory, _reached(asked, choice))
        return self.answer(number, choice, value)

    def watch(self, watched: tuple[Any, ...], cpu: int, events: tuple[Event, ...]) -> Any:
        """The properties' states after some events. Raises Violation."""
        for event in events:
            call: Call = self.world.calls[cpu][event.call]
            if event.results is None:
                watched = tuple(
                    one.started(state, cpu, call)
                    for one, state in zip(self.world.properties, watched, strict=True)
                )
            else:
                watched = tuple(
                    one.returned(state, cpu, call, event.results)
                    for one, state in zip(self.world.properties, watched, strict=True)
                )
        return watched


def _reached(asked: Access, choice: Choice) -> Access:
    """The bytes that this way of the step reaches."""
    if choice is Choice.LOW:
        return asked._replace(size=asked.part)
    if choice is Choice.HIGH:
        return asked._replace(address=asked.address + asked.part, size=asked.part)
    return asked


def _read(memory: bytes, asked: Access) -> int:
    at = asked.address - OBJECT
    return int.from_bytes(memory[at : at + asked.size], "little")


def _written(memory: bytes, asked: Access, value: int) -> bytes:
    at = asked.address - OBJECT
    return memory[:at] + value.to_bytes(asked.size, "little") + memory[at + asked.size :]
