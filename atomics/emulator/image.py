# SPDX-License-Identifier: MIT
"""The code that is checked: words at addresses, symbols, and where they came from."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from atomics.emulator.printable import printable
from atomics.emulator.spans import Span, Spans, between

BASE = 0x40_0000  #: where an image is placed, unless it was linked for one address
RETURN = 0x7FFF_FFF0  #: the address that a call returns to; nothing is there
BESIDE = 0x6000_0000  #: sequences that other CPUs run beside it; no fall through leads there
LARGEST = 1 << 20  #: bytes of the sequence itself


class ImageError(ValueError):
    """A file or text from which no code can be taken: one line that says why."""


@dataclass
class Image:
    """Read-only bytes from ``base`` on; symbols map to addresses."""

    code: bytes
    symbols: dict[str, int]
    source: str  #: file and symbol, or how else it was given
    entry: int = BASE
    end: int | None = None  #: behind the last instruction of the entry's symbol
    outside: Spans = field(default_factory=Spans)  #: where symbols would be that are missing
    peers: bytes = b""  #: instructions from BESIDE on
    base: int = BASE
    writable: Spans = field(default_factory=Spans)  #: global variables, by name
    unresolved: Spans = field(default_factory=Spans)  #: bytes that only loading fills, and why
    line: Callable[[int], str | None] = lambda address: None  #: ``file:line`` of an instruction

    def __post_init__(self) -> None:
        self.source = printable(self.source)
        if self.end is None:
            self.end = self.limit
        if self.entry % 4 or not self.base <= self.entry < self.end <= self.limit:
            raise ImageError(
                f"{self.source}: {self.end - self.entry} bytes from "
                f"{self.entry - self.base:#x} on are not {len(self.code)} bytes of code"
            )
        if self.end - self.entry > LARGEST:
            raise ImageError(f"{self.source}: more than {LARGEST >> 20} MiB; name a smaller symbol")

    @property
    def limit(self) -> int:
        """The first address behind the bytes."""
        return self.base + len(self.code)

    def word(self, address: int) -> int | None:
        """The instruction word at an address; None where there is none or it is not 4-aligned."""
        for base, code in self._parts():
            at = address - base
            if address % 4 == 0 and 0 <= at <= len(code) - 4:
                return int.from_bytes(code[at : at + 4], "little")
        return None

    def distinct_words(self) -> frozenset[int]:
        """Every aligned word, instruction or not."""
        return self._words

    @cached_property
    def _words(self) -> frozenset[int]:  # quick for the 64 MiB that a file may be, but not free
        words: set[int] = set()
        for _, code in self._parts():
            found = array("I", code[: len(code) // 4 * 4])
            if sys.byteorder == "big":
                found.byteswap()
            words.update(found)
        return frozenset(words)

    def symbol_at(self, address: int) -> str:
        """``symbol+offset`` of an address, or the address."""
        return self._named.place(address) or f"{address:#x}"

    @cached_property
    def _named(self) -> Spans:
        found: list[Span] = []
        for base, code in self._parts():
            end = base + len(code)
            marks = [(at, name) for name, at in self.symbols.items() if base <= at < end]
            found += between(marks, end)
        return Spans(found)

    def _parts(self) -> tuple[tuple[int, bytes], ...]:
        return (self.base, self.code), (BESIDE, self.peers)


def from_words(words: list[int], source: str = "words", name: str = "sequence") -> Image:
    """An image of instruction words. Raises ImageError if there are none."""
    if not words:
        raise ImageError(f"{source}: no instructions")
    code = b"".join(word.to_bytes(4, "little") for word in words)
    return Image(code, {name: BASE}, source)
