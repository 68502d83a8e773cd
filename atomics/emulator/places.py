# SPDX-License-Identifier: MIT
"""Where a value is: in registers or behind a pointer.

x6          64 bits of a register          x2:x3       a pair, lo:hi
w0          its low 32 bits                [x5]        16 bytes at the address in x5
w0.8        its low 8 bits (a C bool)      [x8+16].8   8 bytes at x8 + 16
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from atomics.emulator.arm64.registers import SP


class PlaceError(ValueError):
    """Text that names no place."""


@dataclass(frozen=True)
class Place:
    """``registers`` hold the value, or, with ``pointer``, the one register holds its address."""

    registers: tuple[int, ...]
    bits: int  #: per register, or of the memory
    pointer: bool = False
    offset: int = 0

    @property
    def end(self) -> int:
        """Bytes that the block behind a pointer needs at least."""
        return self.offset + self.bits // 8

    @property
    def width(self) -> int:
        """Bits of the whole value."""
        return self.bits * len(self.registers)

    def overlaps(self, other: Place) -> bool:
        """Can the two not both hold a value: do they share a register, or bytes of one block?"""
        shared = set(self.registers) & set(other.registers)
        if self.pointer and other.pointer:
            return bool(shared) and self.offset < other.end and other.offset < self.end
        return bool(shared)


_REGISTER = re.compile(r"([xw])(\d{1,2})(?:\.(8|16))?$")
_PAIR = re.compile(r"x(\d{1,2}):x(\d{1,2})$")
_POINTER = re.compile(r"\[(x\d{1,2}|sp)(?:\+(\d{1,4}))?\](?:\.(8|16))?$")


def register(text: str) -> int:
    """Index of x0 to x30 or sp. Raises PlaceError."""
    if text == "sp":
        return SP
    match = re.fullmatch(r"x(\d{1,2})", text)
    if match is None or int(match[1]) > 30:
        raise PlaceError(f"{text}: not a register; x0 to x30")
    return int(match[1])


def parse(text: str) -> Place:
    """The place that a text names. Raises PlaceError."""
    if match := _REGISTER.fullmatch(text):
        if int(match[2]) > 30:
            raise PlaceError(f"{text}: not a register; x0 to x30")
        bits = int(match[3] or 0) or (64 if match[1] == "x" else 32)
        return Place((int(match[2]),), bits)
    if match := _PAIR.fullmatch(text):
        return Place((register(f"x{match[1]}"), register(f"x{match[2]}")), 64)
    if match := _POINTER.fullmatch(text):
        size = int(match[3] or 16)
        return Place((register(match[1]),), size * 8, True, int(match[2] or 0))
    raise PlaceError(f"{text}: not a place; x0, w0, w0.8, x2:x3, [x5] or [x8+16].8")
