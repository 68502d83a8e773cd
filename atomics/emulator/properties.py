# SPDX-License-Identifier: MIT
"""What must hold in every interleaving, beside what the machine itself refuses.

A property watches the calls. Its state is any hashable value and becomes part of the states that
are explored, so it must be bounded. To write one, subclass Property; ``check(properties=[...])``
takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from atomics.emulator.calls import Call
from atomics.emulator.specification import Pair

Results = tuple[tuple[str, Any], ...]


class Violation(Exception):
    """Raised by a property: one line about what went wrong."""


class Property:
    """The base: everything is allowed."""

    name = "property"

    def initial(self, calls: list[list[Call]], memory: bytes) -> Hashable:
        """The state before anything ran; ``calls[cpu]`` in the order in which it makes them."""
        return None

    def started(self, state: Any, cpu: int, call: Call) -> Hashable:
        """A call is about to make its first access to shared memory."""
        kept: Hashable = state
        return kept

    def returned(self, state: Any, cpu: int, call: Call, results: Results) -> Hashable:
        """A call has returned. Raises Violation."""
        kept: Hashable = state
        return kept

    def finished(self, state: Any, memory: bytes) -> None:
        """Every CPU is through; ``memory`` is the object. Raises Violation."""


#: per CPU: None (no call), a Call that has not taken effect, or the results of one that has
Pending = tuple[Any, ...]
Configuration = tuple[Pair, Pending]


class Linearizable(Property):
    """The calls are those of some sequential order that keeps the order of calls in time.

    The state is the set of all (pair, effects so far) that explain what was returned: exact, and
    small, since each return throws away what does not fit it. ``read`` takes the pair out of the
    object's bytes; by default it is the first 16.
    """

    name = "linearizable"

    def __init__(self, read: Callable[[bytes], Pair] | None = None) -> None:
        self._read = read or _pair

    def initial(self, calls: list[list[Call]], memory: bytes) -> Hashable:
        return frozenset([(self._read(memory), (None,) * len(calls))])

    def started(self, state: Any, cpu: int, call: Call) -> Hashable:
        begun = ((pair, (*pending[:cpu], call, *pending[cpu + 1 :])) for pair, pending in state)
        return _closed(frozenset(begun))

    def returned(self, state: Any, cpu: int, call: Call, results: Results) -> Hashable:
        kept = frozenset(
            (pair, (*pending[:cpu], None, *pending[cpu + 1 :]))
            for pair, pending in state
            if pending[cpu] == results
        )
        if not kept:
            possible = sorted({shown(p[cpu]) for _, p in state if not isinstance(p[cpu], Call)})
            raise Violation(
                f"{call.name} returned {shown(results)}; possible here: {' or '.join(possible)}"
            )
        return kept

    def finished(self, state: Any, memory: bytes) -> None:
        left = self._read(memory)
        allowed = {pair for pair, _ in state}
        if left not in allowed:
            wanted = " or ".join(sorted(shown_pair(pair) for pair in allowed))
            raise Violation(
                f"the object ends as {shown_pair(left)}, which the calls do not explain; "
                f"expected {wanted}"
            )


def _closed(configurations: frozenset[Configuration]) -> frozenset[Configuration]:
    """With every way in which calls that have begun may have taken effect by now."""
    found, todo = set(configurations), list(configurations)
    while todo:
        pair, pending = todo.pop()
        for cpu, call in enumerate(pending):
            if not isinstance(call, Call):
                continue
            for after, results in call.specification.apply(pair, call.given):
                done = call.visible((after, results))
                reached = (after, (*pending[:cpu], done, *pending[cpu + 1 :]))
                if reached not in found:
                    found.add(reached)
                    todo.append(reached)
    return frozenset(found)


def _pair(memory: bytes) -> Pair:
    return int.from_bytes(memory[:8], "little"), int.from_bytes(memory[8:16], "little")


def shown_value(value: object) -> str:
    """A number below 2**16 in decimal, above in hexadecimal; a pair in braces."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return shown_pair(value)
    return str(value) if isinstance(value, int) and value < 1 << 16 else f"{value:#x}"


def shown_pair(pair: tuple[int, ...]) -> str:
    return "{" + ", ".join(map(shown_value, pair)) + "}"


def shown(results: Results) -> str:
    """Results as one reads them: ``ok = false, observed = {11, 20}``."""
    return ", ".join(f"{name} = {shown_value(value)}" for name, value in results) or "nothing"
