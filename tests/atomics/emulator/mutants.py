# SPDX-License-Identifier: MIT
"""Mutants of our kernels, made by rules that know nothing of what a kernel is for.

Each rule changes one word, or the order of two neighbours, wherever it applies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from atomics.emulator.arm64.order import Barrier, barrier, ordering
from atomics.emulator.arm64.registers import field

NOP = 0xD503201F
RET = 0xD65F03C0
Words = tuple[int, ...]


class Mutant(NamedTuple):
    """``offset``: of the changed word, in bytes; ``words``: the whole changed sequence."""

    rule: str
    offset: int
    words: Words


def _is_select(word: int) -> bool:
    """CSEL, CSINC, CSINV, CSNEG."""
    return word & 0x1FE00000 == 0x1A800000


def _is_conditional_compare(word: int) -> bool:
    return word & 0x1FE00000 == 0x1A400000


def _is_branch(word: int) -> bool:
    return word >> 24 == 0x54 or field(word, 30, 25) == 0x1A or field(word, 31, 26) == 5


def _is_exclusive(word: int) -> bool:
    """LDXR, STXR, LDXP, STXP and their ordered forms."""
    return field(word, 29, 23) == 0b0010000 and not (field(word, 21, 21) and not word >> 31)


def _is_casp(word: int) -> bool:
    return word & 0xBFA07C00 == 0x08207C00


def _is_store_exclusive(word: int) -> bool:
    return _is_exclusive(word) and not word >> 22 & 1


def _is_pair(word: int) -> bool:
    """LDP, STP, LDXP, STXP: two data registers at 4..0 and 14..10."""
    return (field(word, 29, 27) == 5 and not word >> 25 & 1) or (
        _is_exclusive(word) and bool(word >> 21 & 1)
    )


def _is_three_registers(word: int) -> bool:
    """Data processing with registers Rd, Rn, Rm."""
    return field(word, 27, 25) == 5


def _swapped_fields(word: int, low: int, other: int) -> int:
    a, b = field(word, low + 4, low), field(word, other + 4, other)
    return word & ~(31 << low | 31 << other) | b << low | a << other


def _dropped(word: int) -> Iterator[int]:
    if word not in (NOP, RET):
        yield NOP


def _inverted(word: int) -> Iterator[int]:
    if word >> 24 == 0x54:
        yield word ^ 1
    if field(word, 30, 25) == 0x1A:
        yield word ^ 1 << 24
    if _is_select(word) or _is_conditional_compare(word):
        yield word ^ 1 << 12


def _one_side(word: int) -> Iterator[int]:
    """A select that always takes its first, or its second, operand: a lost store-back is one."""
    if _is_select(word):
        condition = field(word, 15, 12)
        if condition < 14:
            yield word & ~(15 << 12) | 14 << 12  # AL
            yield word & ~(31 << 5) | field(word, 20, 16) << 5


def _halves(word: int) -> Iterator[int]:
    if _is_pair(word):
        yield _swapped_fields(word, 0, 10)


def _pair_of_casp(word: int) -> Iterator[int]:
    """CASP with expected and desired exchanged."""
    if _is_casp(word):
        yield _swapped_fields(word, 0, 16)


def _operands(word: int) -> Iterator[int]:
    """Rn and Rm exchanged."""
    if _is_three_registers(word) and field(word, 9, 5) != field(word, 20, 16):
        yield _swapped_fields(word, 5, 16)


def _register(word: int) -> Iterator[int]:
    """The neighbour of a source register."""
    if _is_three_registers(word):
        yield word ^ 1 << 16


def _label(word: int) -> Iterator[int]:
    """A branch that lands one instruction earlier or later."""
    if word >> 24 == 0x54 or field(word, 30, 25) == 0x1A:
        offset = field(word, 23, 5)
        for by in (-1, 1):
            yield word & ~(0x7FFFF << 5) | (offset + by & 0x7FFFF) << 5
    elif field(word, 31, 26) == 5:
        for by in (-1, 1):
            yield word & ~0x3FFFFFF | (word + by & 0x3FFFFFF)


def _status(word: int) -> Iterator[int]:
    """A store-exclusive whose status goes to the zero register."""
    if _is_store_exclusive(word):
        yield word | 31 << 16


def _order(word: int) -> Iterator[int]:
    """One of acquire and release left out."""
    found = ordering(word)
    if field(word, 29, 24) == 0x08:
        bits = [22, 15] if _is_casp(word) else [15] if _is_exclusive(word) else []
    elif word >> 24 == 0x19 and word >> 21 & 1:
        bits = [23, 22]
    else:
        bits = []
    for bit in bits:
        if ordering(word & ~(1 << bit)) != found:
            yield word & ~(1 << bit)


def _barrier(word: int) -> Iterator[int]:
    """A barrier of a weaker kind."""
    if barrier(word) is Barrier.FULL:
        yield word & ~(3 << 8) | 1 << 8
    if barrier(word) in (Barrier.FULL, Barrier.LOADS):
        yield word & ~(3 << 8) | 2 << 8


#: rule -> the words that it makes of one
RULES: dict[str, Callable[[int], Iterator[int]]] = {
    "instruction dropped": _dropped,
    "condition inverted": _inverted,
    "select one-sided": _one_side,
    "halves swapped": _halves,
    "compare and desired swapped": _pair_of_casp,
    "operands swapped": _operands,
    "register changed": _register,
    "label moved": _label,
    "status discarded": _status,
    "order bit dropped": _order,
    "barrier weakened": _barrier,
}


def mutants(words: Words) -> Iterator[Mutant]:
    """Every mutant, each different from the original and from those before."""
    seen = {words}

    def new(rule: str, at: int, made: Words) -> Iterator[Mutant]:
        if made not in seen:
            seen.add(made)
            yield Mutant(rule, 4 * at, made)

    for at, word in enumerate(words):
        for rule, change in RULES.items():
            for other in change(word):
                yield from new(rule, at, (*words[:at], other, *words[at + 1 :]))
        if at + 1 < len(words) and RET not in words[at : at + 2]:
            following = words[at + 1]
            if not _is_branch(word) and not _is_branch(following):
                yield from new(
                    "neighbours swapped", at, (*words[:at], following, word, *words[at + 2 :])
                )
