# SPDX-License-Identifier: MIT
"""What an instruction asks of memory: the only thing about it that another CPU can see.

An instruction that reaches memory is executed in two parts. ``access`` says what it asks, from the
registers; the memory (private, or shared and owned by the explorer) answers; ``finish`` puts the
answer into the registers. Values are integers, the byte at the lowest address least significant.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, Protocol

from atomics.emulator.arm64.registers import Registers


class Kind(IntEnum):
    READ = 0  #: answer: the value
    WRITE = 1  #: answer: nothing
    UPDATE = 2  #: one atomic read-modify-write; answer: the old value
    STORE_EXCLUSIVE = 3  #: answer: 1 if it stored, 0 if not
    STEP = 4  #: no access: a local instruction where every instruction is a step


class Access(NamedTuple):
    kind: Kind
    address: int
    size: int  #: bytes, 1 to 32
    part: int = 0  #: bytes of one single-copy atomic part before LSE2, 0: always one access
    value: int = 0  #: what a WRITE or STORE_EXCLUSIVE stores
    exclusive: bool = False  #: a READ that sets the monitor
    aligned: bool = False  #: an address that is no multiple of the size faults


class MemoryOperation(Protocol):
    """One instruction that reaches memory."""

    def access(self, c: Registers) -> Access: ...

    def finish(self, c: Registers, answer: int) -> None:
        """All registers that the instruction writes, from the answer."""

    def half(self, c: Registers, which: int, value: int) -> None:
        """The register that receives part 0 (low) or 1 (high) of a READ in parts, at once: the
        architecture lets the other part be read later."""

    def update(self, c: Registers, old: int) -> int | None:
        """What an UPDATE stores where it found ``old``; None if it leaves memory as it is (a
        compare-and-swap that misses)."""
