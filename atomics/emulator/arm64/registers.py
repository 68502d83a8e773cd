# SPDX-License-Identifier: MIT
"""The register file of one virtual CPU, and the numbers under which instructions reach it."""

from __future__ import annotations

MASK64 = (1 << 64) - 1
MASK32 = (1 << 32) - 1

ZERO = 31  #: reads as zero; instructions that write it are given DISCARD instead
SP = 32
DISCARD = 33
VECTOR = 34  #: v0; the 32 vector registers follow
COUNT = VECTOR + 32


class Registers:
    """x0 to x30, the zero register, SP, a place for discarded results and v0 to v31 in one list
    of integers; flags as the four bits N, Z, C, V; the address of the next instruction."""

    __slots__ = ("nzcv", "pc", "r")

    def __init__(self, r: list[int] | None = None, nzcv: int = 0, pc: int = 0) -> None:
        self.r = [0] * COUNT if r is None else r
        self.nzcv = nzcv
        self.pc = pc


def source(number: int) -> int:
    """Index of Xn/Wn as an input: 31 is the zero register."""
    return number


def target(number: int) -> int:
    """Index of Xn/Wn as an output: what goes to the zero register is discarded."""
    return DISCARD if number == 31 else number


def base(number: int) -> int:
    """Index of Xn|SP: 31 is the stack pointer."""
    return SP if number == 31 else number


def vector(number: int) -> int:
    """Index of Vn."""
    return VECTOR + number


def field(word: int, high: int, low: int) -> int:
    """Bits high..low of a word."""
    return word >> low & (1 << (high - low + 1)) - 1


def signed(value: int, bits: int) -> int:
    """The value of ``bits`` bits read as two's complement."""
    sign = 1 << (bits - 1)
    return (value & (sign - 1)) - (value & sign)
