# SPDX-License-Identifier: MIT
"""Branches, hints and barriers of A64.

A branch writes ``pc``, which already points at the next instruction. Barriers order accesses to
different places, which interleavings do not show: here they do nothing. Hints do nothing either;
of them WFE and WFI may wake at any time, and pointer authentication is off.
Source: Arm DDI 0487, C4.1 and C6.2.
"""

from __future__ import annotations

from atomics.emulator.arm64.alu import HOLDS, Run
from atomics.emulator.arm64.registers import (
    MASK32,
    MASK64,
    Registers,
    field,
    signed,
    source,
    target,
)

LINK = 30


def nothing(c: Registers) -> None:
    pass


def _relative(word: int, address: int, high: int, low: int) -> int:
    return (address + (signed(field(word, high, low), high - low + 1) << 2)) & MASK64


def _direct(word: int, address: int) -> Run:
    """B and BL."""
    destination = _relative(word, address, 25, 0)
    links = word >> 31

    def run(c: Registers) -> None:
        if links:
            c.r[LINK] = c.pc
        c.pc = destination

    return run


def _conditional(word: int, address: int) -> Run:
    """B.cond."""
    destination = _relative(word, address, 23, 5)
    holds = HOLDS[field(word, 3, 0)]

    def run(c: Registers) -> None:
        if holds[c.nzcv]:
            c.pc = destination

    return run


def _on_zero(word: int, address: int) -> Run:
    """CBZ and CBNZ."""
    destination = _relative(word, address, 23, 5)
    mask, wanted, t = (MASK64 if word >> 31 else MASK32), bool(word >> 24 & 1), source(word & 31)

    def run(c: Registers) -> None:
        if bool(c.r[t] & mask) is wanted:
            c.pc = destination

    return run


def _on_bit(word: int, address: int) -> Run:
    """TBZ and TBNZ."""
    destination = _relative(word, address, 18, 5)
    bit, wanted, t = word >> 31 << 5 | field(word, 23, 19), word >> 24 & 1, source(word & 31)

    def run(c: Registers) -> None:
        if c.r[t] >> bit & 1 == wanted:
            c.pc = destination

    return run


def _indirect(word: int) -> Run | None:
    """BR, BLR, RET."""
    kind, n = field(word, 24, 21), source(field(word, 9, 5))
    if kind > 2 or word & 0x1FFC1F != 0x1F0000:
        return None
    links = kind == 1

    def run(c: Registers) -> None:
        destination = c.r[n]
        if links:
            c.r[LINK] = c.pc
        c.pc = destination

    return run


def _flags(word: int) -> Run:
    """MRS and MSR of NZCV."""
    t, reads = word & 31, word >> 21 & 1
    to, origin = target(t), source(t)

    def run(c: Registers) -> None:
        if reads:
            c.r[to] = c.nzcv << 28
        else:
            c.nzcv = c.r[origin] >> 28 & 15

    return run


def decode(word: int, address: int) -> Run | None:
    """What a branch, hint, barrier or access to the flags does, or None."""
    if field(word, 30, 26) == 5:
        return _direct(word, address)
    if word >> 24 == 0x54 and not word >> 4 & 1:
        return _conditional(word, address)
    if field(word, 30, 25) == 0x1A:
        return _on_zero(word, address)
    if field(word, 30, 25) == 0x1B:
        return _on_bit(word, address)
    if word >> 25 == 0x6B:
        return _indirect(word)
    if word & 0xFFFFF01F == 0xD503201F:  # hints
        return nothing
    if word & 0xFFFFF01F == 0xD503301F and field(word, 7, 5) in (4, 5, 6, 7):  # DSB DMB ISB SB
        return nothing
    if word & 0xFFDFFFE0 == 0xD51B4200:
        return _flags(word)
    return None


def onwards(word: int, address: int) -> list[int]:
    """Where execution may go on behind a word, as far as the word says: not after BR and RET."""
    behind = address + 4
    if field(word, 30, 26) == 5:
        return [_relative(word, address, 25, 0), *([behind] if word >> 31 else [])]
    if word >> 24 == 0x54 or field(word, 30, 25) == 0x1A:
        return [_relative(word, address, 23, 5), behind]
    if field(word, 30, 25) == 0x1B:
        return [_relative(word, address, 18, 5), behind]
    leaves = word >> 25 == 0x6B and field(word, 24, 21) != 1
    return [] if leaves else [behind]
