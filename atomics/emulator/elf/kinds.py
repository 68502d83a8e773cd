# SPDX-License-Identifier: MIT
"""How relocations change bytes. Kinds and their numbers are those of section 5.7 of "ELF for the
Arm 64-bit Architecture" (IHI 0056): S + A is ``value``, P is ``at``, G(GDAT(S + A)) a slot of the
GOT. A kind that is not here is unresolved: nobody must take the bytes for what they will be."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

NONE = (0, 256)
COPY, GLOB_DAT, JUMP_SLOT, RELATIVE, TLSDESC, IRELATIVE = 1024, 1025, 1026, 1027, 1031, 1032
_THREAD_LOCAL, _THREAD_LOCAL_AT_START = range(512, 574), range(1028, 1032)


class Unresolved(Exception):
    """Why a relocation cannot be applied."""


class Got:
    """A global offset table: one slot of 8 bytes for each value that is asked for."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.slots: dict[int, int] = {}

    def slot(self, value: int) -> int:
        """The address of the slot that holds the value."""
        return self.slots.setdefault(value, self.start + 8 * len(self.slots))

    @property
    def content(self) -> bytes:
        return b"".join((value & (1 << 64) - 1).to_bytes(8, "little") for value in self.slots)


Expression = Callable[[int, int, Got], int]  # of value, at, got


def _absolute(value: int, at: int, got: Got) -> int:
    return value


def _relative(value: int, at: int, got: Got) -> int:
    return value - at


def _pages(value: int, at: int, got: Got) -> int:
    return (value & ~0xFFF) - (at & ~0xFFF)


def _slot(value: int, at: int, got: Got) -> int:
    return got.slot(value)


def _slot_relative(value: int, at: int, got: Got) -> int:
    return got.slot(value) - at


def _slot_pages(value: int, at: int, got: Got) -> int:
    return _pages(got.slot(value), at, got)


def _slot_from_page(value: int, at: int, got: Got) -> int:
    return got.slot(value) - (got.start & ~0xFFF)


def _slot_from_table(value: int, at: int, got: Got) -> int:
    return got.slot(value) - got.start


def _signed(bits: int) -> range:
    return range(-(1 << bits - 1), 1 << bits - 1)


def _unsigned(bits: int) -> range:
    return range(1 << bits)


def _either(bits: int) -> range:
    return range(-(1 << bits - 1), 1 << bits)


class _Data(NamedTuple):
    of: Expression
    size: int


_DATA = {
    257: _Data(_absolute, 8),  # ABS64
    258: _Data(_absolute, 4),
    259: _Data(_absolute, 2),
    260: _Data(_relative, 8),  # PREL64
    261: _Data(_relative, 4),
    262: _Data(_relative, 2),
    314: _Data(_relative, 4),  # PLT32
    315: _Data(_slot_relative, 4),  # GOTPCREL32
    GLOB_DAT: _Data(_absolute, 8),
    JUMP_SLOT: _Data(_absolute, 8),
    RELATIVE: _Data(_absolute, 8),
}


class _Field(NamedTuple):
    """``bits`` bits of the value from ``first`` on become those of the instruction from ``low``
    on. Those below ``first`` are zero, unless ``cuts``. The value is in ``within``, if given."""

    of: Expression
    first: int
    bits: int
    low: int
    within: range | None = None
    cuts: bool = False


def _low12(of: Expression, first: int) -> _Field:
    """The offset in a page, for an access of 1 << first bytes."""
    return _Field(lambda *given: of(*given) & 0xFFF, first, 12 - first, 10)


def _movw(group: int, within: range | None = None) -> _Field:
    """16 bits for MOVZ or MOVK."""
    return _Field(_absolute, 16 * group, 16, 5, within, cuts=True)


_ADR = -1  # the field of ADR and ADRP: two bits at 29, the rest at 5
_FIELDS = {
    263: _movw(0, _unsigned(16)),  # MOVW_UABS_G0
    264: _movw(0),  # _NC: no check, as of each that follows one
    265: _movw(1, _unsigned(32)),
    266: _movw(1),
    267: _movw(2, _unsigned(48)),
    268: _movw(2),
    269: _movw(3),
    273: _Field(_relative, 2, 19, 5, _signed(21)),  # LD_PREL_LO19
    274: _Field(_relative, 0, 21, _ADR, _signed(21)),  # ADR_PREL_LO21
    275: _Field(_pages, 12, 21, _ADR, _signed(33)),  # ADR_PREL_PG_HI21
    276: _Field(_pages, 12, 21, _ADR),
    277: _low12(_absolute, 0),  # ADD_ABS_LO12_NC
    278: _low12(_absolute, 0),  # LDST8_ABS_LO12_NC
    279: _Field(_relative, 2, 14, 5, _signed(16)),  # TSTBR14
    280: _Field(_relative, 2, 19, 5, _signed(21)),  # CONDBR19
    282: _Field(_relative, 2, 26, 0, _signed(28)),  # JUMP26
    283: _Field(_relative, 2, 26, 0, _signed(28)),  # CALL26
    284: _low12(_absolute, 1),  # LDST16_ABS_LO12_NC
    285: _low12(_absolute, 2),
    286: _low12(_absolute, 3),
    299: _low12(_absolute, 4),  # LDST128_ABS_LO12_NC
    309: _Field(_slot_relative, 2, 19, 5, _signed(21)),  # GOT_LD_PREL19
    310: _Field(_slot_from_table, 3, 12, 10, _unsigned(15)),  # LD64_GOTOFF_LO15
    311: _Field(_slot_pages, 12, 21, _ADR, _signed(33)),  # ADR_GOT_PAGE
    312: _low12(_slot, 3),  # LD64_GOT_LO12_NC
    313: _Field(_slot_from_page, 3, 12, 10, _unsigned(15)),  # LD64_GOTPAGE_LO15
}

#: kinds that may ask for a slot of the GOT
IN_GOT = (309, 310, 311, 312, 313, 315)


def patched(kind: int, value: int, at: int, old: bytes, got: Got) -> bytes:
    """The bytes at ``at`` with one relocation applied; ``old`` are 8. Raises Unresolved."""
    if kind in _DATA:
        of, size = _DATA[kind]
        result = of(value, at, got)
        if size < 8 and result not in _either(8 * size):
            raise Unresolved("it is too far away")
        return (result & (1 << 8 * size) - 1).to_bytes(size, "little")
    if kind not in _FIELDS:
        local = kind in _THREAD_LOCAL or kind in _THREAD_LOCAL_AT_START
        raise Unresolved("it is thread-local" if local else "no such kind is known")
    field = _FIELDS[kind]
    result = field.of(value, at, got)
    if field.within is not None and result not in field.within:
        raise Unresolved("it is too far away")
    if not field.cuts and result & (1 << field.first) - 1:
        raise Unresolved("it is not aligned")
    bits = result >> field.first & (1 << field.bits) - 1
    word = int.from_bytes(old[:4], "little")
    if field.low == _ADR:
        word = word & ~0x60FFFFE0 | (bits & 3) << 29 | bits >> 2 << 5
    else:
        word = word & ~((1 << field.bits) - 1 << field.low) | bits << field.low
    return word.to_bytes(4, "little")
