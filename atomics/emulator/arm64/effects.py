# SPDX-License-Identifier: MIT
"""Which registers an instruction reads and writes, found by executing it on registers that note it.

So there is one decoder, and what it cannot execute has no effects either."""

from __future__ import annotations

import functools
from typing import NamedTuple

from atomics.emulator.arm64 import Access, Instruction, Kind, Registers, decode
from atomics.emulator.arm64.registers import COUNT, DISCARD, ZERO

_NAMELESS = {DISCARD, ZERO}


class Effects(NamedTuple):
    """Indices of registers.py; the zero register is in neither."""

    reads: frozenset[int]
    writes: frozenset[int]


class _Noted(list[int]):
    """A register file that notes who is read and written."""

    def __init__(self, value: int) -> None:
        super().__init__([value] * COUNT)
        self[ZERO] = 0
        self.read: set[int] = set()
        self.written: set[int] = set()

    def __getitem__(self, index: int) -> int:  # type: ignore[override]
        self.read.add(index)
        return super().__getitem__(index)

    def __setitem__(self, index: int, value: int) -> None:  # type: ignore[override]
        if hasattr(self, "written"):
            self.written.add(index)
        super().__setitem__(index, value)


def _execute(one: Instruction, c: Registers) -> None:
    if one.run is not None:
        one.run(c)
    elif one.memory is not None:
        asked: Access = one.memory.access(c)
        if asked.kind is Kind.UPDATE:
            one.memory.update(c, 0)
        one.memory.finish(c, 0)


@functools.lru_cache(maxsize=65536)
def sets_flags(word: int) -> bool:
    """Does it set all four flags, whatever they were? Not CCMP, whose result may be what was."""
    if word & 0xFF20FC07 == 0x1E202000:  # FCMP, FCMPE, which Unicorn executes
        return True
    one = decode(word, 0)
    if one.run is None:
        return False
    after = set()
    for nzcv in range(16):
        c = Registers(nzcv=nzcv, pc=4)
        one.run(c)
        after.add(c.nzcv)
    return len(after) == 1


@functools.lru_cache(maxsize=65536)
def effects(word: int) -> Effects:
    """Of one word. Conditional reads (CSEL) count as reads."""
    read: set[int] = set()
    written: set[int] = set()
    one = decode(word, 0)
    for value in (0, (1 << 64) - 1):
        for nzcv in range(16):
            noted = _Noted(value)
            _execute(one, Registers(noted, nzcv, 4))
            read |= noted.read
            written |= noted.written
    return Effects(frozenset(read - _NAMELESS), frozenset(written - _NAMELESS))
