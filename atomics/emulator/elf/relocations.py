# SPDX-License-Identifier: MIT
"""The relocations of a file, in each of the encodings that they come in."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from atomics.emulator.elf.kinds import COPY, NONE, RELATIVE, TLSDESC
from atomics.emulator.elf.layout import ALLOCATED, EXECUTABLE, Layout
from atomics.emulator.elf.symbols import Symbol
from atomics.emulator.image import ImageError

#: encodings that are not read: SHT_ANDROID_REL, SHT_ANDROID_RELA, SHT_CREL
_PACKED = (0x60000001, 0x60000002, 0x40000014)


class Relocation(NamedTuple):
    at: int
    kind: int
    symbol: Symbol | None
    addend: int | None
    size: int  #: of what stays unknown if it is unresolved


def relocations(
    sections: list[Any],
    layout: Layout,
    table: Callable[[int], list[Symbol]],
    code: bytes | bytearray,
    label: str,
) -> Iterator[Relocation]:
    """Those that apply to what is loaded. In objects they belong to a section (sh_info); of a
    linked file only those in memory are due, others (--emit-relocs) were applied."""
    for section in sections:
        target = section["sh_info"]
        if layout.movable:
            due, start = target in layout.places, layout.places.get(target, 0)
        else:
            due, start = bool(section["sh_flags"] & ALLOCATED), layout.bias
        if not due:
            continue
        if section["sh_type"] in ("SHT_RELA", "SHT_REL"):
            code_only = layout.movable and sections[target]["sh_flags"] & EXECUTABLE
            yield from _listed(section, start, 4 if code_only else 8, table(section["sh_link"]))
        elif section["sh_type"] == "SHT_RELR":
            yield from _compact(section, layout, code, label)
        elif section["sh_type"] in _PACKED:
            raise ImageError(f"{label}: packed relocations are not read; link without them")


def _listed(section: Any, start: int, size: int, symbols: list[Symbol]) -> Iterator[Relocation]:
    """SHT_RELA; SHT_REL, which no tool for AArch64 writes, has no addend."""
    form = "<QQq" if section["sh_type"] == "SHT_RELA" else "<QQ"
    for offset, info, *addend in struct.iter_unpack(form, section.data()):
        number, kind = info >> 32, info & 0xFFFFFFFF
        symbol = symbols[number] if number else None
        wide = size
        if kind == TLSDESC:
            wide = 16
        elif kind == COPY and symbol is not None:
            wide = symbol.size
        if kind not in NONE:
            yield Relocation(start + offset, kind, symbol, addend[0] if addend else None, wide)


def _compact(
    section: Any, layout: Layout, code: bytes | bytearray, label: str
) -> Iterator[Relocation]:
    """SHT_RELR (generic ABI): an even word is a place, an odd one a bitmap of the 63 words that
    follow. What is there is the addend."""
    left = len(code) // 8
    at = 0
    for (word,) in struct.iter_unpack("<Q", section.data()):
        if word & 1:
            places = [at + 8 * bit for bit in range(63) if word >> bit + 1 & 1]
            at += 8 * 63
        else:
            places, at = [word], word + 8
        left -= len(places)
        for place in places:
            offset = place + layout.bias - layout.base
            if left < 0 or not 0 <= offset <= len(code) - 8:
                raise ImageError(f"{label}: relocations outside of its sections")
            addend = int.from_bytes(code[offset : offset + 8], "little")
            yield Relocation(place + layout.bias, RELATIVE, None, addend, 8)
