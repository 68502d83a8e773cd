# SPDX-License-Identifier: MIT
"""A value of two 64-bit words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

WORD = 1 << 64
_NUMBER = 1 << 128


class _Halves(NamedTuple):
    lo: int
    hi: int


class Pair(_Halves):
    """Two words of 64 bits, immutable: ``lo, hi = pair``; equal to the tuple ``(lo, hi)``.

    Each half is 0 to 2^64 - 1; OverflowError otherwise. As a number a pair is hi * 2^64 + lo.
    """

    __slots__ = ()

    def __new__(cls, lo: int = 0, hi: int = 0) -> Pair:
        for name, half in (("lo", lo), ("hi", hi)):
            if not 0 <= half < WORD:
                raise OverflowError(f"{name} {half}: a half of a pair is 0 to 2^64 - 1")
        return super().__new__(cls, lo, hi)

    @classmethod
    def from_int(cls, number: int) -> Pair:
        """From -2^127 to 2^128 - 1, a negative one as two's complement. OverflowError outside."""
        if not -(_NUMBER >> 1) <= number < _NUMBER:
            raise OverflowError(f"{number}: a pair as a number is -2^127 to 2^128 - 1")
        return cls(number % WORD, (number >> 64) % WORD)

    @property
    def as_int(self) -> int:
        """0 to 2^128 - 1."""
        return self.hi << 64 | self.lo

    @property
    def as_signed(self) -> int:
        """-2^127 to 2^127 - 1: two's complement."""
        number = self.as_int
        return number - _NUMBER if number >> 127 else number

    def __repr__(self) -> str:
        return f"Pair(lo={self.lo:#x}, hi={self.hi:#x})"


#: What operations take: a Pair, (lo, hi), or a number of up to 128 bits.
Operand: TypeAlias = Pair | Sequence[int] | int


def halves(operand: Operand) -> tuple[int, int]:
    """(lo, hi) of an operand. TypeError for another shape, OverflowError outside the range."""
    if isinstance(operand, int):
        return Pair.from_int(operand)
    try:
        lo, hi = operand
    except (TypeError, ValueError):
        if hasattr(operand, "__index__"):  # a NumPy integer
            return Pair.from_int(operand.__index__())
        raise TypeError(
            f"{operand!r}: a pair is a Pair, (lo, hi), or an int of up to 128 bits"
        ) from None
    return lo, hi
