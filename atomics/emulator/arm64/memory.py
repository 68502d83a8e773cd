# SPDX-License-Identifier: MIT
"""Loads, stores, exclusives and atomic read-modify-writes of A64, LSE128 and RCPC3 included.

Source: Arm DDI 0487, C4.1.96 (loads and stores) and the pseudocode of each instruction in C6.2:
a 64-bit load-exclusive pair is two 8-byte reads, a 32-bit one is one; a successful store-exclusive
pair, CASP, SWPP, LDSETP and LDCLRP are one 16-byte update.
"""

from __future__ import annotations

from collections.abc import Callable

from atomics.emulator.arm64.access import Access, Kind, MemoryOperation
from atomics.emulator.arm64.alu import extended
from atomics.emulator.arm64.registers import (
    MASK64,
    Registers,
    base,
    field,
    signed,
    source,
    target,
    vector,
)

Where = Callable[[Registers], int]


class Addressing:
    """[Xn|SP, ...]: where the access goes, and what the base becomes after it."""

    def __init__(self, n: int, at: Where | None = None, after: int | None = None) -> None:
        self.n = base(n)
        self._at = at
        self._after = after

    def at(self, c: Registers) -> int:
        return c.r[self.n] if self._at is None else self._at(c) & MASK64

    def write_back(self, c: Registers) -> None:
        if self._after is not None:
            c.r[self.n] = c.r[self.n] + self._after & MASK64


def _offset(n: int, offset: int) -> Addressing:
    index = base(n)
    return Addressing(n, lambda c: c.r[index] + offset)


def _indexed(n: int, offset: int, pre: bool) -> Addressing:
    index = base(n)
    return Addressing(n, (lambda c: c.r[index] + offset) if pre else None, offset)


class Load:
    """Loads of one or two registers, exclusive or not."""

    def __init__(
        self,
        where: Addressing,
        size: int,
        targets: tuple[int, ...],
        *,
        part: int = 0,
        sign_bits: int = 0,
        exclusive: bool = False,
        aligned: bool = False,
    ) -> None:
        self.where, self.size, self.targets = where, size, targets
        self.part, self.sign_bits = part, sign_bits
        self.exclusive, self.aligned = exclusive, aligned

    def access(self, c: Registers) -> Access:
        at = self.where.at(c)
        return Access(Kind.READ, at, self.size, self.part, 0, self.exclusive, self.aligned)

    def _extended(self, value: int, size: int) -> int:
        if self.sign_bits:
            return signed(value, size * 8) & ((1 << self.sign_bits) - 1)
        return value

    def finish(self, c: Registers, answer: int) -> None:
        self.where.write_back(c)
        size = self.size // len(self.targets)
        for index, t in enumerate(self.targets):
            value = answer >> 8 * size * index & ((1 << 8 * size) - 1)
            c.r[t] = self._extended(value, size)

    def half(self, c: Registers, which: int, value: int) -> None:
        if len(self.targets) == 2 and self.targets[which] != self.where.n:
            c.r[self.targets[which]] = self._extended(value, self.part)

    def update(self, c: Registers, old: int) -> int | None:
        raise NotImplementedError


class Store:
    """Stores of one or two registers."""

    def __init__(
        self,
        where: Addressing,
        size: int,
        sources: tuple[int, ...],
        *,
        part: int = 0,
        aligned: bool = False,
    ) -> None:
        self.where, self.size, self.sources = where, size, sources
        self.part, self.aligned = part, aligned

    def value(self, c: Registers) -> int:
        size = self.size // len(self.sources)
        mask = (1 << 8 * size) - 1
        return sum((c.r[s] & mask) << 8 * size * i for i, s in enumerate(self.sources))

    def access(self, c: Registers) -> Access:
        at = self.where.at(c)
        return Access(Kind.WRITE, at, self.size, self.part, self.value(c), False, self.aligned)

    def finish(self, c: Registers, answer: int) -> None:
        self.where.write_back(c)

    def half(self, c: Registers, which: int, value: int) -> None:
        pass

    def update(self, c: Registers, old: int) -> int | None:
        raise NotImplementedError


class StoreExclusive(Store):
    """STXR, STXP and their release forms; the status register gets 0 if it stored."""

    def __init__(self, where: Addressing, size: int, sources: tuple[int, ...], status: int) -> None:
        super().__init__(where, size, sources, aligned=True)
        self.status = status

    def access(self, c: Registers) -> Access:
        return super().access(c)._replace(kind=Kind.STORE_EXCLUSIVE)

    def finish(self, c: Registers, answer: int) -> None:
        c.r[self.status] = 0 if answer else 1


class CompareAndSwap:
    """CAS and CASP: the compare registers receive what was there."""

    def __init__(
        self, where: Addressing, size: int, expected: tuple[int, ...], desired: tuple[int, ...]
    ) -> None:
        self.where, self.size = where, size
        self.expected, self.desired = expected, desired
        self._old = Load(where, size, tuple(target(e) for e in expected))
        self._expected = Store(where, size, expected)
        self._desired = Store(where, size, desired)

    def access(self, c: Registers) -> Access:
        return Access(Kind.UPDATE, self.where.at(c), self.size, aligned=True)

    def update(self, c: Registers, old: int) -> int | None:
        return self._desired.value(c) if self._expected.value(c) == old else None

    def finish(self, c: Registers, answer: int) -> None:
        self._old.finish(c, answer)

    def half(self, c: Registers, which: int, value: int) -> None:
        pass


class Swap:
    """SWP, LD<op>, SWPP, LDSETP, LDCLRP: the new value from the old one and the operand."""

    def __init__(
        self,
        where: Addressing,
        size: int,
        operands: tuple[int, ...],
        targets: tuple[int, ...],
        combine: Callable[[int, int, int], int],
    ) -> None:
        self.where, self.size, self.combine = where, size, combine
        self._operand = Store(where, size, operands)
        self._old = Load(where, size, targets)

    def access(self, c: Registers) -> Access:
        return Access(Kind.UPDATE, self.where.at(c), self.size, aligned=True)

    def update(self, c: Registers, old: int) -> int | None:
        bits = 8 * self.size
        return self.combine(old, self._operand.value(c), bits) & ((1 << bits) - 1)

    def finish(self, c: Registers, answer: int) -> None:
        self._old.finish(c, answer)

    def half(self, c: Registers, which: int, value: int) -> None:
        pass


#: opcode of LD<op> -> new value of (old, operand, bits)
_COMBINE: dict[int, Callable[[int, int, int], int]] = {
    0: lambda old, operand, bits: old + operand,
    1: lambda old, operand, bits: old & ~operand,
    2: lambda old, operand, bits: old ^ operand,
    3: lambda old, operand, bits: old | operand,
    4: lambda old, operand, bits: max(old, operand, key=lambda v: signed(v, bits)),
    5: lambda old, operand, bits: min(old, operand, key=lambda v: signed(v, bits)),
    6: lambda old, operand, bits: max(old, operand),
    7: lambda old, operand, bits: min(old, operand),
    8: lambda old, operand, bits: operand,
}
_LSE128 = {1: _COMBINE[1], 3: _COMBINE[3], 8: _COMBINE[8]}


def _exclusive(word: int) -> MemoryOperation | None:
    """Bits 29..24 are 001000: exclusives, ordered accesses, CAS, CASP."""
    size = 1 << (word >> 30)
    o2, load, pair = word >> 23 & 1, word >> 22 & 1, word >> 21 & 1
    status, t2, n, t = field(word, 20, 16), field(word, 14, 10), field(word, 9, 5), word & 31
    where = Addressing(n)
    if o2 and pair:  # CAS
        return CompareAndSwap(where, size, (source(status),), (source(t),)) if t2 == 31 else None
    if o2:  # LDAR, STLR, LDLAR, STLLR
        if load:
            return Load(where, size, (target(t),), aligned=True)
        return Store(where, size, (source(t),), aligned=True)
    if pair and not word >> 31:  # CASP; bit 30 is its size
        if t2 != 31 or status & 1 or t & 1:
            return None
        size = 16 if word >> 30 & 1 else 8
        pairs = (source(status), source(status + 1)), (source(t), source(t + 1))
        return CompareAndSwap(where, size, *pairs)
    if pair:
        size *= 2
        part = 8 if size == 16 else 0
        if load:
            targets = (target(t), target(t2))
            return Load(where, size, targets, part=part, exclusive=True, aligned=True)
        return StoreExclusive(where, size, (source(t), source(t2)), target(status))
    if load:
        return Load(where, size, (target(t),), exclusive=True, aligned=True)
    return StoreExclusive(where, size, (source(t),), target(status))


def _pair(word: int) -> MemoryOperation | None:
    """Bits 29..27 are 101: LDP, STP, LDPSW, LDNP, STNP."""
    vectors, mode, load, opc = word >> 26 & 1, field(word, 24, 23), word >> 22 & 1, word >> 30
    t, t2, n = word & 31, field(word, 14, 10), field(word, 9, 5)
    signs = not vectors and opc == 1
    if opc == 3 or (signs and not (load and mode)):
        return None
    each = 4 << opc if vectors else 4 if opc < 2 else 8
    offset = signed(field(word, 21, 15), 7) * each
    where = _indexed(n, offset, mode == 3) if mode & 1 else _offset(n, offset)
    part = min(each, 8)
    if load:
        numbers = (vector(t), vector(t2)) if vectors else (target(t), target(t2))
        return Load(where, 2 * each, numbers, part=part, sign_bits=64 if signs else 0)
    numbers = (vector(t), vector(t2)) if vectors else (source(t), source(t2))
    return Store(where, 2 * each, numbers, part=part)


def is_literal(word: int) -> bool:
    """Is it a load relative to PC, which has no base register?"""
    return word & 0x3B000000 == 0x18000000


def _literal(word: int, address: int) -> MemoryOperation | None:
    """LDR (literal); PRFM is decoded as nothing."""
    vectors, opc, t = word >> 26 & 1, word >> 30, word & 31
    at = address + (signed(field(word, 23, 5), 19) << 2)
    where = Addressing(31, lambda c: at)
    if vectors:
        return Load(where, 4 << opc, (vector(t),)) if opc < 3 else None
    sizes = {0: (4, 0), 1: (8, 0), 2: (4, 64)}
    if opc not in sizes:
        return None
    size, sign_bits = sizes[opc]
    return Load(where, size, (target(t),), sign_bits=sign_bits)


def _one(word: int, where: Callable[[int], Addressing | None]) -> MemoryOperation | None:
    """LDR and STR of one register; ``where`` gets the log2 of the access size."""
    vectors, opc, scale, t = word >> 26 & 1, field(word, 23, 22), word >> 30, word & 31
    if vectors:
        scale |= opc >> 1 << 2
        if scale > 4:
            return None
        addressing = where(scale)
        if addressing is None:
            return None
        part = 8 if scale == 4 else 0
        if opc & 1:
            return Load(addressing, 1 << scale, (vector(t),), part=part)
        return Store(addressing, 1 << scale, (vector(t),), part=part)
    addressing = where(scale)
    if addressing is None or (scale == 3 and opc > 1) or (scale == 2 and opc == 3):
        return None
    if opc == 0:
        return Store(addressing, 1 << scale, (source(t),))
    sign_bits = 0 if opc == 1 else 64 if opc == 2 else 32
    return Load(addressing, 1 << scale, (target(t),), sign_bits=sign_bits)


def _register_offset(word: int, scale: int) -> Addressing | None:
    option, n, m = field(word, 15, 13), field(word, 9, 5), source(field(word, 20, 16))
    if not option & 2:
        return None
    shift, index = (scale if word >> 12 & 1 else 0), base(n)
    return Addressing(n, lambda c: c.r[index] + extended(c.r[m], option, shift, 64))


def _swap(word: int) -> MemoryOperation | None:
    """LD<op>, SWP, LDAPR: bits 21 and 11..10 are 1 and 00."""
    size, opcode = 1 << (word >> 30), field(word, 15, 12)
    s, n, t = field(word, 20, 16), field(word, 9, 5), word & 31
    if word >> 26 & 1:
        return None
    if opcode == 12:  # LDAPR
        plain = s == 31 and field(word, 23, 22) == 2
        return Load(Addressing(n), size, (target(t),), aligned=True) if plain else None
    if opcode not in _COMBINE:
        return None
    return Swap(Addressing(n), size, (source(s),), (target(t),), _COMBINE[opcode])


def _single(word: int) -> MemoryOperation | None:
    """Bits 29..27 are 111: one register, every addressing mode, and the LSE atomics."""
    n, imm9 = field(word, 9, 5), signed(field(word, 20, 12), 9)
    if word >> 24 & 1:
        return _one(word, lambda scale: _offset(n, field(word, 21, 10) << scale))
    mode = field(word, 11, 10)
    if word >> 21 & 1:
        if mode == 0:
            return _swap(word)
        if mode == 2:
            return _one(word, lambda scale: _register_offset(word, scale))
        return None
    if mode in (0, 2):  # unscaled; unprivileged, which is the same here
        return (
            _one(word, lambda scale: _offset(n, imm9)) if mode == 0 or not word >> 26 & 1 else None
        )
    return _one(word, lambda scale: _indexed(n, imm9, mode == 3))


def _ordered_unscaled(word: int) -> MemoryOperation | None:
    """Bits 29..24 are 011001: LDAPUR, STLUR, LDIAPP, STILP."""
    n, t, opc = field(word, 9, 5), word & 31, field(word, 23, 22)
    if field(word, 11, 10) == 0:
        return _one(word, lambda scale: _offset(n, signed(field(word, 20, 12), 9)))
    if field(word, 11, 10) != 2 or word >> 31 == 0 or opc > 1 or field(word, 15, 13):
        return None
    each, t2 = 8 if word >> 30 & 1 else 4, field(word, 20, 16)
    part = each
    if word >> 12 & 1:
        where = Addressing(n)
    elif opc:
        where = _indexed(n, 2 * each, False)
    else:
        where = _indexed(n, -2 * each, True)
    if opc:
        return Load(where, 2 * each, (target(t), target(t2)), part=part)
    return Store(where, 2 * each, (source(t), source(t2)), part=part)


def _lse128(word: int) -> MemoryOperation | None:
    """Bits 31..24 are 00011001: SWPP, LDSETP, LDCLRP."""
    t, t2, n, opcode = word & 31, field(word, 20, 16), field(word, 9, 5), field(word, 15, 12)
    if word >> 30 or field(word, 11, 10) or opcode not in _LSE128 or 31 in (t, t2):
        return None
    return Swap(
        Addressing(n), 16, (source(t), source(t2)), (target(t), target(t2)), _LSE128[opcode]
    )


def decode(word: int, address: int) -> MemoryOperation | None:
    """What a word asks of memory, or None where it is no load or store."""
    group = field(word, 29, 24)
    if group == 0x08:
        return _exclusive(word)
    if group == 0x19:
        return _lse128(word) if word >> 21 & 1 else _ordered_unscaled(word)
    if field(word, 29, 27) == 3 and field(word, 25, 24) == 0:
        return _literal(word, address)
    if field(word, 29, 27) == 5 and not word >> 25 & 1:
        return _pair(word)
    if field(word, 29, 27) == 7 and not word >> 25 & 1:
        return _single(word)
    return None
