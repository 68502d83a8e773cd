# SPDX-License-Identifier: MIT
"""A path through the states as lines that a person reads, and as text that runs again."""

from __future__ import annotations

import re
from dataclasses import dataclass

from atomics.emulator import listing
from atomics.emulator.arm64 import Access, Kind
from atomics.emulator.calls import Call
from atomics.emulator.explore import Path
from atomics.emulator.local import Choice
from atomics.emulator.properties import shown, shown_pair, shown_value
from atomics.emulator.semantics import Semantics, State
from atomics.emulator.specification import Pair
from atomics.emulator.world import OBJECT

_LETTERS = {
    Choice.WHOLE: "",
    Choice.LOW: "l",
    Choice.HIGH: "h",
    Choice.STORED: "s",
    Choice.FAILED: "f",
    Choice.EXCEPTION: "x",
}
_CHOICES = {letter: choice for choice, letter in _LETTERS.items()}


class ReplayError(ValueError):
    """A replay string that does not fit the check."""


@dataclass(frozen=True)
class Line:
    """One step. ``before`` and ``after``: the first 16 bytes of the object as a pair."""

    cpu: int
    place: str
    instruction: str
    effect: str
    before: Pair
    after: Pair
    began: str | None = None
    returned: str | None = None
    line: str | None = None  #: FILE:LINE of the instruction


def replay_text(path: Path) -> str:
    """``0l 1 0h 1s``: per step the CPU and how it went; see parse_replay."""
    return " ".join(f"{cpu}{_LETTERS[choice]}" for cpu, choice in path)


def parse_replay(text: str) -> Path:
    """The path of a replay string. l, h: low, high half first; s, f: the store-exclusive stores,
    fails; x: an exception. Raises ReplayError."""
    path: Path = []
    for token in text.split():
        match = re.fullmatch(r"(\d)([lhsfx]?)", token)
        if match is None:
            raise ReplayError(f"replay {token!r}: a CPU's number, then l, h, s, f, x or nothing")
        path.append((int(match[1]), _CHOICES[match[2]]))
    return path


def _pair(memory: bytes) -> Pair:
    return int.from_bytes(memory[:8], "little"), int.from_bytes(memory[8:16], "little")


def _where(asked: Access, choice: Choice) -> tuple[int, int]:
    """(offset into the object, bytes) that a step reaches."""
    offset, size = asked.address - OBJECT, asked.size
    if choice in (Choice.LOW, Choice.HIGH):
        size = asked.part
        offset += asked.part * (choice is Choice.HIGH)
    return offset, size


def _named(offset: int, size: int, value: int) -> str:
    """``lo = 11``, ``{11, 20}`` or ``bytes 32..39 = 7``."""
    if (offset, size) == (0, 16):
        return shown_pair((value & (1 << 64) - 1, value >> 64))
    if size == 8 and offset < 16:
        return f"{'hi' if offset else 'lo'} = {shown_value(value)}"
    return f"bytes {offset}..{offset + size - 1} = {shown_value(value)}"


def _effect(asked: Access, choice: Choice, state: State, after: bytes | None) -> str:
    if choice is Choice.EXCEPTION:
        return "an exception ends its reservation"
    if asked.kind is Kind.STEP:
        return ""
    offset, size = _where(asked, choice)
    found = int.from_bytes(state.memory[offset : offset + size], "little")
    left = found if after is None else int.from_bytes(after[offset : offset + size], "little")
    if asked.kind is Kind.READ:
        return f"reads {_named(offset, size, found)}"
    if asked.kind is Kind.WRITE:
        return f"writes {_named(offset, size, left)}"
    if choice is Choice.FAILED:
        return "does not store"
    if asked.kind is Kind.STORE_EXCLUSIVE:
        return f"stores {_named(offset, size, left)}"
    if found == left:
        return f"reads {_named(offset, size, found)}, leaves it"
    return f"reads {_named(offset, size, found)}, writes {_named(offset, size, left)}"


def given(call: Call) -> str:
    """A call as one reads it."""
    return f"{call.name}({shown(call.arguments) if call.arguments else ''})"


def lines(semantics: Semantics, path: Path) -> tuple[list[Line], str | None]:
    """Every step of a path, and what goes wrong at its end. Raises ReplayError where the path
    does not fit."""
    begin = semantics.initial()
    state, wrong = begin.state, begin.wrong
    made: list[Line] = []
    world = semantics.world
    for cpu, choice in path:
        if state is None:
            raise ReplayError(f"replay: nothing follows step {len(made)}, which goes wrong")
        if cpu >= len(world.calls) or not any(
            (one.cpu, one.choice) == (cpu, choice) for one in semantics.steps(state)
        ):
            possible = " ".join(
                f"{one.cpu}{_LETTERS[one.choice]}" for one in semantics.steps(state)
            )
            raise ReplayError(
                f"replay: step {len(made) + 1}, {cpu}{_LETTERS[choice]}, is not possible there; "
                f"possible: {possible or 'none, all CPUs are through'}"
            )
        number = state.locals[cpu]
        asked = semantics.local.pending[number]
        assert asked is not None
        step = semantics.step(state, cpu, choice)
        memory = step.memory if step.state is None else step.state.memory
        began, returned = _events(semantics, state, cpu, choice, asked)
        address = semantics.local.states[number].pc
        made.append(
            Line(
                cpu,
                world.image.symbol_at(address),
                listing.text(world.image.word(address) or 0, address),
                _effect(asked, choice, state, memory)
                if semantics.refused(state, cpu, asked) is None or choice is Choice.EXCEPTION
                else "is refused",
                _pair(state.memory),
                _pair(memory or state.memory),
                began,
                returned,
                world.image.line(address),
            )
        )
        state, wrong = step.state, step.wrong
    if state is not None and semantics.finished(state):
        wrong = semantics.judged(state.watched, state.memory)
    return made, wrong


def _events(
    semantics: Semantics, state: State, cpu: int, choice: Choice, asked: Access
) -> tuple[str | None, str | None]:
    """What begins before and what returns after a step."""
    if choice is Choice.EXCEPTION or semantics.refused(state, cpu, asked) is not None:
        return None, None
    events = semantics.answer_at(state, cpu, choice).events
    calls = semantics.world.calls[cpu]
    began = [given(calls[e.call]) for e in events if e.results is None]
    ended = [
        f"{calls[e.call].name} returns {shown(e.results)}" for e in events if e.results is not None
    ]
    return "; ".join(began) or None, "; ".join(ended) or None
