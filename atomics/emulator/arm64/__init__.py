# SPDX-License-Identifier: MIT
"""What single A64 instructions do: registers on one side, requests to memory on the other."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from atomics.emulator.arm64 import alu, branch, memory, unpredictable
from atomics.emulator.arm64.access import Access, Kind, MemoryOperation
from atomics.emulator.arm64.alu import Run
from atomics.emulator.arm64.registers import Registers, field

__all__ = ["Access", "Instruction", "Kind", "MemoryOperation", "Registers", "decode"]


@dataclass(frozen=True, slots=True)
class Instruction:
    """One word at one address. Of ``run`` and ``memory`` at most one is there; neither where this
    decoder does not know the word."""

    address: int
    word: int
    run: Run | None  #: changes registers only; ``pc`` already points behind the instruction
    memory: MemoryOperation | None
    clears_monitor: bool  #: CLREX
    problem: str | None  #: why the word may not be relied on (UNDEFINED, CONSTRAINED UNPREDICTABLE)

    @property
    def known(self) -> bool:
        return self.run is not None or self.memory is not None

    @property
    def reaches_memory(self) -> bool:
        """Known or not: is it in the encoding group of loads and stores?"""
        return field(self.word, 27, 27) == 1 and field(self.word, 25, 25) == 0

    @property
    def traps(self) -> str | None:
        """What always ends in a signal, or None."""
        if self.word >> 16 == 0:
            return "a permanently undefined word (data?)"
        if self.word >> 21 in (0x6A1, 0x6A2):
            return "a breakpoint"
        return None

    @property
    def leaves_user_code(self) -> str | None:
        """System calls and system instructions, which no interleaving of CPUs explains."""
        if self.word >> 24 == 0xD4:
            return "a system call"
        if self.word >> 22 == 0x354 and not self.known:
            return "a system instruction"
        return None


def _is_prefetch(word: int) -> bool:
    return (
        word & 0xFFC00000 == 0xF9800000  # PRFM (immediate)
        or word & 0xFFE00C00 == 0xF8800000  # PRFUM
        or word & 0xFFE04C00 == 0xF8A04800  # PRFM (register)
        or word >> 24 == 0xD8  # PRFM (literal)
    )


@functools.lru_cache(maxsize=1 << 16)
def decode(word: int, address: int) -> Instruction:
    """The instruction that a little-endian 32-bit word at an address is."""
    run = alu.decode(word, address) or branch.decode(word, address)
    clears = word & 0xFFFFF0FF == 0xD503305F
    if clears or _is_prefetch(word):
        run = branch.nothing
    reaches = memory.decode(word, address) if run is None else None
    return Instruction(address, word, run, reaches, clears, unpredictable.reason(word))
