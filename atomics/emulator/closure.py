# SPDX-License-Identifier: MIT
"""A function of an object file with all that it reaches, as words that need nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from atomics.emulator.elf.file import File
from atomics.emulator.image import Image


class Needs(Exception):
    """One clause that says what the function needs outside of its words."""


class _Part(NamedTuple):
    start: int
    end: int
    code: bool


def closure(file: File, name: str) -> list[int]:
    """The words of a function, then those of each function and constant of the file that it
    reaches, once. Raises Needs."""
    image = file.image(name)
    parts = _parts(file)
    reached = [next(one for one in parts if one.code and one.start == image.entry)]
    for part in reached:  # it grows
        for _, target in _leaving(image, part):
            found = next((one for one in parts if one.start <= target < one.end), None)
            if found is None or (found.code and target != found.start):
                called = image.outside.get(target)
                raise Needs(f"calls {called}" if called else "reaches what has no symbol")
            if found not in reached:
                reached.append(found)
    placed: dict[int, int] = {}  # address of a word -> index among the words
    for part in reached:
        for address in range(part.start, part.end, 4):
            placed[address] = len(placed)
    moved = {at: to for part in reached for at, to in _leaving(image, part)}
    return [_word(image, at, placed, moved.get(at)) for at in placed]


def _parts(file: File) -> list[_Part]:
    """Functions, and the constants that symbols name."""
    made = [_Part(one.start, one.end, True) for one in file.functions]
    for one in file.symbols:
        if one.may_be_data and one.size and one.section in file.layout.places:
            start = file.layout.address(one)
            if not start % 4:
                made.append(_Part(start, start + one.size, False))
    return made


def _word(image: Image, at: int, placed: dict[int, int], to: int | None) -> int:
    """The word at an address; where it leads elsewhere, to that place among the words."""
    word = image.word(at)
    assert word is not None
    if to is None:
        return word
    by = placed[to & ~3] - placed[at]
    if _is_adr(word):
        return word & ~(3 << 29 | 0x7FFFF << 5) | (to & 3) << 29 | (by & 0x7FFFF) << 5
    return word & ~0x3FFFFFF | by & 0x3FFFFFF


def _is_adr(word: int) -> bool:
    return word >> 24 & 0x9F == 0x10


def _leaving(image: Image, part: _Part) -> Iterator[tuple[int, int]]:
    """(address, target) of each B, BL and ADR out of a part. Raises Needs."""
    for address in range(part.start, part.end, 4) if part.code else ():
        word = image.word(address)
        assert word is not None
        if word >> 24 & 0x9F == 0x90:
            raise Needs("reaches further than ADR does")
        if _is_adr(word):
            by = 4 * (word >> 5 & 0x7FFFF) + (word >> 29 & 3)
            target = address + by - (word >> 23 & 1) * (1 << 21)
        elif word >> 26 & 0x1F == 5:
            target = address + 4 * ((word & 0x3FFFFFF) - (word >> 25 & 1) * (1 << 26))
        else:
            continue
        if not part.start <= target < part.end:
            yield address, target
