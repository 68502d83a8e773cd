# SPDX-License-Identifier: MIT
"""The loops whose state counts are known, and what tests share to explore a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from atomics.emulator import explore, model, native
from atomics.emulator.arm64 import decode
from atomics.emulator.assembler import assemble
from atomics.emulator.calls import Binding, Call
from atomics.emulator.explore import Found
from atomics.emulator.local import LocalMachine
from atomics.emulator.properties import Property
from atomics.emulator.semantics import Semantics
from atomics.emulator.specification import Specification
from atomics.emulator.world import World

PROGRAM = Specification("program", (), (), lambda pair, given: ())
ENGINES = {"python": explore.explore, "native": native.explore}

CLASSIC = """
        ldp  x2, x3, [x8]
A:      add  x4, x2, #1
        add  x5, x3, #1
B:      ldxp x7, x6, [x8]
        eor  x7, x7, x2
        eor  x6, x6, x3
        orr  x6, x7, x6
        cbnz x6, C
        stxp w7, x4, x5, [x8]
        cbnz w7, B
        ret
C:      ldp  x2, x3, [x8]
        b    A
"""
FEEDBACK = """
        ldp  x2, x3, [x8]
A:      add  x4, x2, #1
        add  x5, x3, #1
B:      ldxp x0, x1, [x8]
        cmp  x0, x2
        ccmp x1, x3, #0, eq
        b.ne C
        stxp w7, x4, x5, [x8]
        cbnz w7, B
        ret
C:      mov  x2, x0
        mov  x3, x1
        b    A
"""
CASP = """
        ldp  x2, x3, [x8]
A:      add  x4, x2, #1
        add  x5, x3, #1
        mov  x0, x2
        mov  x1, x3
        casp x0, x1, x4, x5, [x8]
        cmp  x0, x2
        ccmp x1, x3, #0, eq
        b.eq D
        mov  x2, x0
        mov  x3, x1
        b    A
D:      ret
"""


def pair_bytes(lo: int, hi: int, size: int = 16) -> bytes:
    return lo.to_bytes(8, "little") + hi.to_bytes(8, "little") + bytes(size - 16)


class Ends(Property):
    """Collects every way in which the object ends; of registers that a test asks for, too."""

    name = "ends"

    def __init__(self, registers: Sequence[int] = ()) -> None:
        self.registers = tuple(registers)
        self.found: set[Any] = set()

    def initial(self, calls: list[list[Call]], memory: bytes) -> Any:
        return ()

    def returned(self, state: Any, cpu: int, call: Call, results: Any) -> Any:
        if not self.registers:
            return state
        registers = dict(results)["registers"]
        return tuple(sorted([*state, (cpu, *(registers[n] for n in self.registers))]))

    def finished(self, state: Any, memory: bytes) -> None:
        pair = int.from_bytes(memory[:8], "little"), int.from_bytes(memory[8:16], "little")
        self.found.add((pair, state) if self.registers else pair)


def world(
    texts: Sequence[str],
    settings: Sequence[str] = (),
    *,
    pair: tuple[int, int] = (10, 20),
    size: int = 16,
    properties: Sequence[Property] = (),
) -> World:
    """Each text is one CPU's program, called once with the object's address in x8."""
    whole, entries = "", []
    for number, text in enumerate(texts):
        for label in "ABCDEFG":
            text = text.replace(f"{label}:", f"{label}{number}:")
            text = "\n".join(
                line[: -len(label)] + f"{label}{number}"
                if line.rstrip().endswith(f" {label}")
                else line
                for line in (row.rstrip() for row in text.splitlines())
            )
            text = text.replace(f", {label}\n", f", {label}{number}\n")
        whole += f"T{number}:\n{text}\n        ret\n"
        entries.append(f"T{number}")
    image = assemble(whole, "test.s", "T0")
    binding = Binding(object="x8", registers=True, zeroed=True)
    calls = [[Call(PROGRAM, binding, image.symbols[entry])] for entry in entries]
    made = model.changed(model.Model(granule=16), settings)
    return World(image, calls, pair_bytes(*pair, size=size), made, list(properties))


def explored(
    one: World, engine: str = "native", decoder: Callable[..., Any] = decode, limit: int = 2_000_000
) -> Found:
    return ENGINES[engine](Semantics(one, LocalMachine(one, decoder)), limit)


def ends(texts: Sequence[str], settings: Sequence[str] = (), **more: Any) -> set[Any]:
    """Every pair that the object may end as; the search must be complete and nothing wrong."""
    seen = Ends(more.pop("registers", ()))
    found = explored(world(texts, settings, properties=[seen], **more))
    assert found.complete
    assert found.wrong is None, found.wrong
    return seen.found
