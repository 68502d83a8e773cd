# SPDX-License-Identifier: MIT
"""How a sequence is called: which registers hold what, and what one call is given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from atomics.emulator.places import Place, parse
from atomics.emulator.specification import SPECIFICATIONS, Outcome, Specification


@dataclass(frozen=True)
class Block:
    """Memory that a register points to: 8-byte words, some of them pointers into it.

    pointers  (word, offset into the block in bytes)
    shared    (from, to): bytes of the block that other CPUs may touch too; it then lies in the
              object, behind what is there, and stays from call to call
    fixed     words that keep what they start with, whatever is stored: what counts for ever and
              is never read, and the state of random numbers, of which each CPU knows one
    random    which word that state is
    """

    words: tuple[int, ...]
    pointers: tuple[tuple[int, int], ...] = ()
    shared: tuple[int, int] | None = None
    fixed: tuple[int, ...] = ()
    random: int | None = None

    def seeded(self, seed: int) -> Block:
        """With another state of random numbers, where it has one."""
        if self.random is None:
            return self
        words = (*self.words[: self.random], seed, *self.words[self.random + 1 :])
        return replace(self, words=words)


@dataclass(frozen=True)
class Binding:
    """The calling convention of one sequence.

    object      the register with the address of the object
    arguments   name -> place, filled before the call
    results     name -> place, read after it
    registers   x0 to x30 are a result too, named "registers", and stay when the CPU is through
    zeroed      registers without an argument start as zero instead of a caller's leftovers
    success     what `ok` holds when the operation succeeded: "nonzero" or "zero"
    returns     "ret": to the address in x30; "end": by running off the end of the sequence
    preserves   AAPCS64: x19 to x29 and SP must be as they were
    blocks      register -> memory that it points to
    """

    object: str = "x0"
    arguments: tuple[tuple[str, Place], ...] = ()
    results: tuple[tuple[str, Place], ...] = ()
    registers: bool = False
    zeroed: bool = False
    success: str = "nonzero"
    returns: str = "ret"
    preserves: bool = True
    blocks: tuple[tuple[int, Block], ...] = ()

    @cached_property
    def memory(self) -> tuple[tuple[int, int, int], ...]:
        """(register, from, to): bytes behind its pointer that the call may touch."""
        blocks = ((register, 0, 8 * len(block.words)) for register, block in self.blocks)
        places = (
            (place.registers[0], place.offset, place.end)
            for _, place in (*self.arguments, *self.results)
            if place.pointer
        )
        return _joined((*blocks, *places))

    @cached_property
    def lot(self) -> tuple[int, Block] | None:
        """The block that lies in the object, and its register."""
        return next((one for one in self.blocks if one[1].shared), None)

    def seeded(self, seed: int) -> Binding:
        """With that state of random numbers."""
        blocks = tuple((register, block.seeded(seed)) for register, block in self.blocks)
        return self if blocks == self.blocks else replace(self, blocks=blocks)


def _joined(spans: Iterable[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    """Neighbours made one, so that one access may reach two results side by side."""
    made: list[tuple[int, int, int]] = []
    for register, begin, end in sorted(spans):
        if made and made[-1][0] == register and begin <= made[-1][2]:
            made[-1] = register, made[-1][1], max(end, made[-1][2])
        else:
            made.append((register, begin, end))
    return tuple(made)


NOWHERE = Binding()  #: a call that is given no memory


@dataclass(frozen=True)
class Call:
    """One operation that a CPU carries out: where it starts, how it is called, with what."""

    specification: Specification
    binding: Binding
    entry: int
    arguments: tuple[tuple[str, Any], ...] = ()
    name: str = ""
    given: dict[str, Any] = field(default_factory=dict, compare=False, hash=False)

    def __post_init__(self) -> None:
        self.given.update(self.arguments)
        if not self.name:
            object.__setattr__(self, "name", self.specification.name)

    def visible(self, outcome: Outcome) -> tuple[tuple[str, Any], ...]:
        """The results of an outcome that this binding hands out, in its order."""
        return tuple((name, outcome[1][name]) for name, _ in self.binding.results)


def _bind(arguments: dict[str, str], results: dict[str, str], **more: Any) -> Binding:
    return Binding(
        arguments=tuple((name, parse(text)) for name, text in arguments.items()),
        results=tuple((name, parse(text)) for name, text in results.items()),
        **more,
    )


#: struct dwcas_thread of csrc/include/dwcas/method.h: retries, random, abort -> the zero behind
#: it, own[128]; shared[128]
_THREAD = Block((0, 1, 0, 0) + (0,) * 16, ((2, 24),), (256, 384), fixed=(0, 1), random=1)

_RESERVED = {"start": "[x8].8", "end": "[x8+8].8", "prev": "[x8+16].8"}


def _defaults() -> dict[str, Binding]:
    """AAPCS64 with the C prototypes of csrc/include/dwcas/pair.h and method.h."""
    two = {"expected": "x1:x2", "desired": "x3:x4"}
    reserve = _bind({"size": "x2"}, _RESERVED, blocks=((1, _THREAD),))
    chosen = {
        "compare_exchange": _bind(two, {"ok": "w0.8", "observed": "[x5]"}),
        "compare_and_set": _bind(two, {"ok": "w0.8"}),
        "load": _bind({}, {"value": "x0:x1"}),
        "store": _bind({"desired": "x1:x2"}, {}),
        "load_lo": _bind({}, {"value": "x0"}),
        "load_hi": _bind({}, {"value": "x0"}),
        "fetch_add_lo": _bind({"operand": "x1"}, {"old": "x0"}),
        "fetch_add_hi": _bind({"operand": "x1"}, {"old": "x0"}),
        "reserve": reserve,
        "reserve_unlinked": reserve,
    }
    chosen["compare_exchange_weak"] = chosen["compare_exchange"]
    chosen["compare_and_set_weak"] = chosen["compare_and_set"]
    fetch = _bind({"operand": "x1:x2"}, {"old": "x0:x1"})
    return {name: chosen.get(name, fetch) for name in SPECIFICATIONS}


#: specification name -> how our own C functions are called
BINDINGS = _defaults()
