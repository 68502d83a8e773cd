# SPDX-License-Identifier: MIT
"""Integer data processing of A64: every encoding of the base instruction set but CRC32.

``decode`` turns a word into a function of the registers, or None where the word is something else.
Source: Arm DDI 0487, C4.1 (encoding tables) and the pseudocode of each instruction in C6.2.
"""

from __future__ import annotations

from collections.abc import Callable

from atomics.emulator.arm64.registers import (
    MASK32,
    MASK64,
    Registers,
    base,
    field,
    signed,
    source,
    target,
)

Run = Callable[[Registers], None]

#: condition -> flags (NZCV as a number) under which it holds
HOLDS: list[tuple[bool, ...]] = []
for _condition in range(16):
    _row = []
    for _flags in range(16):
        _n, _z, _c, _v = _flags >> 3, _flags >> 2 & 1, _flags >> 1 & 1, _flags & 1
        _plain = [_z, _c, _n, _v, _c and not _z, _n == _v, _n == _v and not _z, 1][_condition >> 1]
        _row.append(bool(_plain) != bool(_condition & 1 and _condition != 15))
    HOLDS.append(tuple(_row))


#: condition -> the flags that it reads
READS = (4, 4, 2, 2, 8, 8, 1, 1, 6, 6, 9, 9, 13, 13, 0, 0)
ALL_FLAGS = 15


def flags_read(word: int) -> int:
    """Which of N, Z, C, V (8, 4, 2, 1) an instruction reads."""
    if word >> 24 == 0x54:  # B.cond
        return READS[word & 15]
    kind = word & 0x1FE00000
    if kind in (0x1A400000, 0x1A800000):  # conditional compare, conditional select
        return READS[field(word, 15, 12)]
    if kind == 0x1A000000:  # with carry
        return 2
    if word & 0xFF200400 == 0x1E200400:  # FCCMP, FCSEL
        return READS[field(word, 15, 12)]
    return ALL_FLAGS if word & 0xFFFFFFE0 == 0xD53B4200 else 0  # MRS NZCV


def add_with_carry(x: int, y: int, carry: int, bits: int) -> tuple[int, int]:
    """x + y + carry in ``bits`` bits, and the flags NZCV (AddWithCarry of the manual)."""
    total = x + y + carry
    result = total & ((1 << bits) - 1)
    overflow = (~(x ^ y) & (x ^ result)) >> (bits - 1) & 1
    return result, result >> (bits - 1) << 3 | (result == 0) << 2 | total >> bits << 1 | overflow


def _logic_flags(result: int, bits: int) -> int:
    return result >> (bits - 1) << 3 | (result == 0) << 2


def shifted(value: int, kind: int, amount: int, bits: int) -> int:
    """LSL, LSR, ASR or ROR (kind 0 to 3) of a value of that many bits."""
    mask = (1 << bits) - 1
    if kind == 0:
        return value << amount & mask
    if kind == 1:
        return value >> amount
    if kind == 2:
        return signed(value, bits) >> amount & mask
    return (value >> amount | value << (bits - amount)) & mask if amount else value


def extended(value: int, option: int, shift: int, bits: int) -> int:
    """UXTB .. SXTX (option 0 to 7) of a register, shifted left."""
    width = 8 << (option & 3)
    value &= (1 << width) - 1
    if option & 4:
        value = signed(value, width)
    return value << shift & ((1 << bits) - 1)


def bit_masks(n: int, imms: int, immr: int, bits: int) -> tuple[int, int] | None:
    """(wmask, tmask) of DecodeBitMasks; None for reserved values."""
    length = (n << 6 | (~imms & 63)).bit_length() - 1
    if length < 1 or (bits == 32 and n):
        return None
    size, levels = 1 << length, (1 << length) - 1
    s, r = imms & levels, immr & levels
    ones = (1 << (s + 1)) - 1
    rotated = (ones >> r | ones << (size - r)) & ((1 << size) - 1)
    top = (1 << (((s - r) & levels) + 1)) - 1
    wmask = tmask = 0
    for at in range(0, bits, size):
        wmask |= rotated << at
        tmask |= top << at
    return wmask, tmask


def _add_sub(word: int, d: int, first: int, second: Callable[[Registers], int]) -> Run:
    """ADD, SUB and their flag-setting forms; ``second`` yields the other operand."""
    bits = 64 if word >> 31 else 32
    mask, subtract, sets = (1 << bits) - 1, word >> 30 & 1, word >> 29 & 1

    def run(c: Registers) -> None:
        y = second(c) & mask
        if subtract:
            result, flags = add_with_carry(c.r[first] & mask, y ^ mask, 1, bits)
        else:
            result, flags = add_with_carry(c.r[first] & mask, y, 0, bits)
        c.r[d] = result
        if sets:
            c.nzcv = flags

    return run


def _logical(word: int, d: int, second: Callable[[Registers], int]) -> Run:
    """AND, ORR, EOR, ANDS of Rn and an operand."""
    bits = 64 if word >> 31 else 32
    mask, kind, n = (1 << bits) - 1, field(word, 30, 29), source(field(word, 9, 5))

    def run(c: Registers) -> None:
        x, y = c.r[n] & mask, second(c) & mask
        result = x | y if kind == 1 else x ^ y if kind == 2 else x & y
        c.r[d] = result
        if kind == 3:
            c.nzcv = _logic_flags(result, bits)

    return run


def _immediate(word: int, address: int) -> Run | None:
    """Data processing with an immediate: bits 28..26 are 100."""
    sf, d, n = word >> 31, field(word, 4, 0), field(word, 9, 5)
    bits = 64 if sf else 32
    mask = (1 << bits) - 1
    group = field(word, 25, 23)
    if group < 2:  # ADR, ADRP
        offset = signed(field(word, 23, 5) << 2 | field(word, 30, 29), 21)
        value = ((address & ~0xFFF) + (offset << 12) if sf else address + offset) & MASK64
        return _set(target(d), value)
    if group == 2:  # ADD, SUB
        value = field(word, 21, 10) << (12 if word >> 22 & 1 else 0)
        to = target(d) if word >> 29 & 1 else base(d)
        return _add_sub(word, to, base(n), lambda c: value)
    if group == 4:  # AND, ORR, EOR, ANDS
        imms = field(word, 15, 10)
        masks = bit_masks(word >> 22 & 1, imms, field(word, 21, 16), bits)
        if masks is None or masks[0] in (0, mask):  # all ones is reserved
            return None
        to = target(d) if field(word, 30, 29) == 3 else base(d)
        wmask = masks[0]
        return _logical(word, to, lambda c: wmask)
    if group == 5:
        return _move_wide(word, target(d), bits)
    if group == 6:
        return _bit_field(word, target(d), source(n), bits)
    if group == 7:  # EXTR
        m, amount = source(field(word, 20, 16)), field(word, 15, 10)
        if field(word, 30, 29) or word >> 21 & 1 or word >> 22 & 1 != sf or amount >= bits:
            return None
        to, first = target(d), source(n)

        def extract(c: Registers) -> None:
            both = (c.r[first] & mask) << bits | (c.r[m] & mask)
            c.r[to] = both >> amount & mask

        return extract
    return None


def _set(d: int, value: int) -> Run:
    def run(c: Registers) -> None:
        c.r[d] = value

    return run


def _move_wide(word: int, d: int, bits: int) -> Run | None:
    kind, shift, imm = field(word, 30, 29), field(word, 22, 21) * 16, field(word, 20, 5)
    mask = (1 << bits) - 1
    if kind == 1 or shift >= bits:
        return None
    if kind == 0:  # MOVN
        return _set(d, ~(imm << shift) & mask)
    if kind == 2:  # MOVZ
        return _set(d, imm << shift)
    keep = mask & ~(0xFFFF << shift)

    def run(c: Registers) -> None:
        c.r[d] = c.r[d] & keep | imm << shift

    return run if d < 31 else _set(d, 0)


def _bit_field(word: int, d: int, n: int, bits: int) -> Run | None:
    """SBFM, BFM, UBFM: also LSL, LSR, ASR, SXTB, UBFX and the like."""
    kind, immr, imms = field(word, 30, 29), field(word, 21, 16), field(word, 15, 10)
    masks = bit_masks(word >> 22 & 1, imms, immr, bits)
    if kind == 3 or masks is None or word >> 22 & 1 != word >> 31 or max(immr, imms) >= bits:
        return None
    wmask, tmask = masks
    mask = (1 << bits) - 1

    def run(c: Registers) -> None:
        value, old = c.r[n] & mask, c.r[d] & mask if kind == 1 else 0
        bottom = old & ~wmask | shifted(value, 3, immr, bits) & wmask
        top = old
        if kind == 0:
            top = mask if value >> imms & 1 else 0
        c.r[d] = (top & ~tmask | bottom & tmask) & mask

    return run


def _register(word: int) -> Run | None:
    """Data processing between registers: bits 27..25 are 101."""
    op0, op1, op2 = word >> 30 & 1, word >> 28 & 1, field(word, 24, 21)
    bits = 64 if word >> 31 else 32
    mask = (1 << bits) - 1
    d, n, m = target(field(word, 4, 0)), source(field(word, 9, 5)), source(field(word, 20, 16))
    amount = field(word, 15, 10)
    if not op1 and op2 < 8:  # logical, shifted register
        kind, invert = field(word, 23, 22), word >> 21 & 1
        if amount >= bits:
            return None
        if invert:
            return _logical(word, d, lambda c: ~shifted(c.r[m] & mask, kind, amount, bits))
        return _logical(word, d, lambda c: shifted(c.r[m] & mask, kind, amount, bits))
    if not op1 and op2 & 9 == 8:  # ADD, SUB, shifted register
        kind = field(word, 23, 22)
        if kind == 3 or amount >= bits:
            return None
        return _add_sub(word, d, n, lambda c: shifted(c.r[m] & mask, kind, amount, bits))
    if not op1:  # ADD, SUB, extended register
        option, shift = field(word, 15, 13), field(word, 12, 10)
        if shift > 4 or field(word, 23, 22):
            return None
        to = d if word >> 29 & 1 else base(field(word, 4, 0))
        return _add_sub(
            word, to, base(field(word, 9, 5)), lambda c: extended(c.r[m], option, shift, bits)
        )
    if op2 == 0 and field(word, 15, 10) == 0:
        return _with_carry(word, d, n, m, bits)
    if op2 == 2 and not word >> 10 & 1 and not word >> 4 & 1 and word >> 29 & 1:
        return _conditional_compare(word, n, m, bits)
    if op2 == 4 and not word >> 29 & 1 and not word >> 11 & 1:
        return _conditional_select(word, d, n, m, bits)
    if op2 == 6 and not word >> 29 & 1:
        return _one_source(word, d, n, bits) if op0 else _two_sources(word, d, n, m, bits)
    if op2 >= 8 and not field(word, 30, 29):
        return _three_sources(word, d, n, m, bits)
    return None


def _with_carry(word: int, d: int, n: int, m: int, bits: int) -> Run:
    """ADC, ADCS, SBC, SBCS."""
    mask, subtract, sets = (1 << bits) - 1, word >> 30 & 1, word >> 29 & 1

    def run(c: Registers) -> None:
        y = c.r[m] & mask ^ (mask if subtract else 0)
        result, flags = add_with_carry(c.r[n] & mask, y, c.nzcv >> 1 & 1, bits)
        c.r[d] = result
        if sets:
            c.nzcv = flags

    return run


def _conditional_compare(word: int, n: int, m: int, bits: int) -> Run:
    """CCMP and CCMN, with a register or a 5-bit immediate."""
    mask, subtract, immediate = (1 << bits) - 1, word >> 30 & 1, word >> 11 & 1
    holds, otherwise, value = HOLDS[field(word, 15, 12)], field(word, 3, 0), field(word, 20, 16)

    def run(c: Registers) -> None:
        if not holds[c.nzcv]:
            c.nzcv = otherwise
            return
        y = value if immediate else c.r[m] & mask
        if subtract:
            c.nzcv = add_with_carry(c.r[n] & mask, y ^ mask, 1, bits)[1]
        else:
            c.nzcv = add_with_carry(c.r[n] & mask, y, 0, bits)[1]

    return run


def _conditional_select(word: int, d: int, n: int, m: int, bits: int) -> Run:
    """CSEL, CSINC, CSINV, CSNEG."""
    mask, invert, increment = (1 << bits) - 1, word >> 30 & 1, word >> 10 & 1
    holds = HOLDS[field(word, 15, 12)]

    def run(c: Registers) -> None:
        if holds[c.nzcv]:
            c.r[d] = c.r[n] & mask
        else:
            value = ~c.r[m] if invert else c.r[m]
            c.r[d] = (value + increment) & mask

    return run


def _reversed_bytes(value: int, group: int, bits: int) -> int:
    """Bytes reversed within groups of that many bytes."""
    raw = value.to_bytes(bits // 8, "little")
    parts = (raw[at : at + group][::-1] for at in range(0, len(raw), group))
    return int.from_bytes(b"".join(parts), "little")


def _one_source(word: int, d: int, n: int, bits: int) -> Run | None:
    """RBIT, REV16, REV32, REV, CLZ, CLS."""
    mask, kind = (1 << bits) - 1, field(word, 15, 10)
    operations: dict[int, Callable[[int], int]] = {
        0: lambda v: int(f"{v:0{bits}b}"[::-1], 2),
        1: lambda v: _reversed_bytes(v, 2, bits),
        2: lambda v: _reversed_bytes(v, 4, bits),
        4: lambda v: bits - v.bit_length(),
        5: lambda v: bits - 1 - ((v ^ v >> 1) & mask >> 1).bit_length(),
    }
    if bits == 64:
        operations[3] = lambda v: _reversed_bytes(v, 8, 64)
    if field(word, 20, 16) or kind not in operations:
        return None
    operation = operations[kind]

    def run(c: Registers) -> None:
        c.r[d] = operation(c.r[n] & mask)

    return run


def _two_sources(word: int, d: int, n: int, m: int, bits: int) -> Run | None:
    """UDIV, SDIV and shifts by a register."""
    mask, kind = (1 << bits) - 1, field(word, 15, 10)

    def divide(c: Registers) -> None:
        x, y = c.r[n] & mask, c.r[m] & mask
        if kind == 3:
            x, y = signed(x, bits), signed(y, bits)
        quotient = abs(x) // abs(y) if y else 0
        c.r[d] = (-quotient if (x < 0) != (y < 0) else quotient) & mask

    def shift(c: Registers) -> None:
        c.r[d] = shifted(c.r[n] & mask, kind & 3, c.r[m] % bits, bits)

    return divide if kind in (2, 3) else shift if 8 <= kind <= 11 else None


def _three_sources(word: int, d: int, n: int, m: int, bits: int) -> Run | None:
    """MADD, MSUB, their widening forms, SMULH, UMULH."""
    mask, kind, subtract = (1 << bits) - 1, field(word, 23, 21), word >> 15 & 1
    a = source(field(word, 14, 10))
    if kind == 0:

        def same(c: Registers) -> None:
            product = c.r[n] * c.r[m]
            c.r[d] = (c.r[a] - product if subtract else c.r[a] + product) & mask

        return same
    if bits == 32 or kind not in (1, 2, 5, 6):
        return None
    unsigned = kind >> 2
    if kind & 3 == 2:  # the upper half of 128 bits
        if subtract:
            return None

        def high(c: Registers) -> None:
            x, y = c.r[n], c.r[m]
            if not unsigned:
                x, y = signed(x, 64), signed(y, 64)
            c.r[d] = x * y >> 64 & MASK64

        return high

    def widening(c: Registers) -> None:
        x, y = c.r[n] & MASK32, c.r[m] & MASK32
        if not unsigned:
            x, y = signed(x, 32), signed(y, 32)
        c.r[d] = (c.r[a] - x * y if subtract else c.r[a] + x * y) & MASK64

    return widening


def decode(word: int, address: int) -> Run | None:
    """What an integer data-processing word does, or None."""
    if field(word, 28, 26) == 4:
        return _immediate(word, address)
    if field(word, 27, 25) == 5:
        return _register(word)
    return None
