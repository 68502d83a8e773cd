# SPDX-License-Identifier: MIT
"""Where the sections of a file lie in the machine's memory."""

from __future__ import annotations

from typing import Any, NamedTuple

from atomics.emulator.elf.symbols import Symbol
from atomics.emulator.image import BASE, BESIDE, RETURN, ImageError
from atomics.emulator.private import SPACING, STACKS
from atomics.emulator.spans import Span, Spans
from atomics.emulator.world import OBJECT

LIMIT = 64 << 20  #: bytes of file, and of code, that are looked at
WRITABLE, ALLOCATED, EXECUTABLE, THREAD_LOCAL, COMPRESSED = 1, 2, 4, 0x400, 0x800  # SHF_...
_SEGMENT = 0x1_0000  #: what addresses of a linked file are moved by is a multiple of this
_GAP = 0x1_0000  #: bytes, at least, between an image and what is outside
_OUTSIDE = 16 << 20  #: what symbols of other files share, within reach of a branch

_TAKEN = Spans(
    (
        Span(OBJECT - 0x1000, OBJECT + 0x2000, "the object"),
        Span(STACKS, STACKS + 9 * SPACING, "the stacks"),
        Span(BESIDE, BESIDE + 0x1000, "other CPUs' code"),
        Span(RETURN, RETURN + 16, "the caller"),
    )
)


class Layout(NamedTuple):
    movable: bool  #: an object, whose sections have no addresses yet
    base: int
    bias: int  #: of a linked file: address in the machine less that it was linked for
    places: dict[int, int]  #: section -> address
    commons: dict[str, int]  #: variables that the linker would place, -> address
    limit: int  #: behind all of it

    def address(self, one: Symbol) -> int:
        """Of a symbol in one of the sections."""
        return one.value + (self.places[one.section] if self.movable else self.bias)


def laid_out(elf: Any, sections: list[Any], symbols: list[Symbol], label: str) -> Layout:
    """Objects: one section after the other. Libraries are moved. A program that was linked for
    fixed addresses keeps them, as nothing in it tells an address from a number."""
    allocated = {n: one for n, one in enumerate(sections) if one["sh_flags"] & ALLOCATED}
    places: dict[int, int] = {}
    bias, movable = 0, elf["e_type"] == "ET_REL"
    if movable:
        base = limit = BASE
        for index, section in allocated.items():
            places[index] = _aligned(limit, max(section["sh_addralign"], 4))
            limit = places[index] + section["sh_size"]
            _bounded(base, limit, label)
    else:
        lowest = min((one["sh_addr"] for one in allocated.values()), default=0)
        base = lowest & -0x1000
        if elf["e_type"] == "ET_DYN":
            bias = BASE - (lowest & -_SEGMENT)
            base = BASE
        limit = base
        for index, section in allocated.items():
            if section["sh_flags"] & THREAD_LOCAL and section["sh_type"] == "SHT_NOBITS":
                continue  # it has no address, whatever its header says
            places[index] = section["sh_addr"] + bias
            limit = max(limit, places[index] + section["sh_size"])
            _bounded(base, limit, label)
    commons = {}
    for one in symbols:
        if one.common:
            commons[one.name] = _aligned(limit, max(one.value, 1))  # st_value is its alignment
            limit = commons[one.name] + one.size
            _bounded(base, limit, label)
    return Layout(movable, base, bias, places, commons, limit)


def outside(names: list[str], start: int) -> dict[str, Span]:
    """Room behind an image for each symbol that is not in it, so that an access near its address is
    known as one to it."""
    start = _aligned(start + _GAP, _GAP)
    size = max(_OUTSIDE // max(len(names), 1) & -16, 16)
    return {
        name: Span(start + size * n, start + size * (n + 1), name) for n, name in enumerate(names)
    }


def refuse_what_is_taken(start: int, end: int, label: str) -> None:
    """Raises ImageError where a program was linked for an address that the machine uses."""
    what = _TAKEN.get(start, end - start)
    if what is not None:
        raise ImageError(f"{label}: linked for {start:#x} to {end:#x}, where {what} must be")


def _aligned(address: int, alignment: int) -> int:
    return -(-address // alignment) * alignment


def _bounded(base: int, limit: int, label: str) -> None:
    if limit - base > LIMIT:
        raise ImageError(f"{label}: more than {LIMIT >> 20} MiB of code and data")
