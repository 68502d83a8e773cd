# SPDX-License-Identifier: MIT
"""The code that is checked: words at addresses, symbols, and where they came from."""

from __future__ import annotations

import sys
from array import array
from dataclasses import dataclass, field

BASE = 0x40_0000  #: where an image is placed
RETURN = 0x7FFF_FFF0  #: the address that a call returns to; nothing is there
BESIDE = 0x6000_0000  #: sequences that other CPUs run beside it; no fall through leads there
LARGEST = 1 << 20  #: bytes of the sequence itself
OUTSIDE = 0x500_0000  #: symbols that it calls and does not have, 16 apart; within reach of BL


class ImageError(ValueError):
    """A file or text from which no code can be taken: one line that says why."""


@dataclass
class Image:
    """Read-only bytes from BASE on; symbols map to addresses."""

    code: bytes
    symbols: dict[str, int]
    source: str  #: file and symbol, or how else it was given
    entry: int = BASE
    end: int | None = None  #: behind the last instruction of the entry's symbol
    outside: dict[int, str] = field(default_factory=dict)  #: address -> symbol that is missing
    peers: bytes = b""  #: instructions from BESIDE on

    def __post_init__(self) -> None:
        if self.end is None:
            self.end = self.limit
        if self.entry % 4 or not BASE <= self.entry < self.end <= self.limit:
            raise ImageError(
                f"{self.source}: {self.end - self.entry} bytes from {self.entry - BASE:#x} on are "
                f"not {len(self.code)} bytes of code"
            )
        if self.end - self.entry > LARGEST:
            raise ImageError(f"{self.source}: more than {LARGEST >> 20} MiB; name a smaller symbol")

    @property
    def limit(self) -> int:
        """The first address behind the bytes."""
        return BASE + len(self.code)

    def word(self, address: int) -> int | None:
        """The instruction word at an address; None where there is none or it is not 4-aligned."""
        for base, code in self._parts():
            at = address - base
            if address % 4 == 0 and 0 <= at <= len(code) - 4:
                return int.from_bytes(code[at : at + 4], "little")
        return None

    def distinct_words(self) -> set[int]:
        """Every aligned word, instruction or not; quick for the 64 MiB that a file may be."""
        words: set[int] = set()
        for _, code in self._parts():
            found = array("I", code[: len(code) // 4 * 4])
            if sys.byteorder == "big":
                found.byteswap()
            words.update(found)
        return words

    def symbol_at(self, address: int) -> str:
        """``symbol+offset`` of an address, or the address."""
        for base, code in self._parts():
            below = [(at, name) for name, at in self.symbols.items() if base <= at <= address]
            if below and address < base + len(code):
                at, name = max(below)
                return name if at == address else f"{name}+{address - at}"
        return f"{address:#x}"

    def _parts(self) -> tuple[tuple[int, bytes], ...]:
        return (BASE, self.code), (BESIDE, self.peers)


def from_words(words: list[int], source: str = "words", name: str = "sequence") -> Image:
    """An image of instruction words. Raises ImageError if there are none."""
    if not words:
        raise ImageError(f"{source}: no instructions")
    code = b"".join(word.to_bytes(4, "little") for word in words)
    return Image(code, {name: BASE}, source)
