# SPDX-License-Identifier: MIT
"""What a word says about order: acquire, release, barriers.

Source: Arm DDI 0487, B2.3 (barrier-ordered-before, AcquirePC against Acquire), C6.2 of each
instruction; that LSE atomics with the zero register as destination do not acquire is in the
pseudocode of LDADD and SWP (``acquire = A == '1' && t != 31``).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from atomics.emulator.arm64.registers import field


class Strength(IntEnum):
    NONE = 0
    PC = 1  #: RCpc: an earlier release to another place may still be passed
    SC = 2  #: RCsc


class Ordering(NamedTuple):
    acquire: Strength = Strength.NONE
    release: Strength = Strength.NONE
    discarded: bool = False  #: would acquire, but its destination is the zero register


class Barrier(IntEnum):
    """Which earlier and later accesses a barrier keeps apart, for every CPU of the system."""

    NONE = 0
    LOADS = 1  #: DMB ISHLD: earlier loads before everything later
    STORES = 2  #: DMB ISHST: earlier stores before later stores
    FULL = 3


_NON_SHAREABLE = 1


def barrier(word: int) -> Barrier:
    """DMB and DSB by their kind; what reaches this CPU only (NSH) is none, and so is ISB."""
    if word & 0xFFFFF0DF != 0xD503309F:  # DMB, DSB
        return Barrier.NONE
    option = field(word, 11, 8)
    return Barrier.NONE if option >> 2 == _NON_SHAREABLE else Barrier(option & 3)


def _sc(bit: int) -> Strength:
    return Strength.SC if bit else Strength.NONE


def _exclusives(word: int) -> Ordering:
    other, load, pair, bit = word >> 23 & 1, word >> 22 & 1, word >> 21 & 1, word >> 15 & 1
    if pair and (other or not word >> 31):  # CAS, CASP
        return Ordering(_sc(load), _sc(bit))
    return Ordering(_sc(bit), Strength.NONE) if load else Ordering(Strength.NONE, _sc(bit))


def ordering(word: int) -> Ordering:
    """The order that a load, store or read-modify-write has by itself."""
    group, t = field(word, 29, 24), word & 31
    if group == 0x08:
        return _exclusives(word)
    if word >> 24 == 0x19 and word >> 21 & 1:  # LSE128
        return Ordering(_sc(word >> 23 & 1), _sc(word >> 22 & 1))
    if group == 0x19:  # LDAPUR, STLUR, LDIAPP, STILP
        if field(word, 23, 22):
            return Ordering(Strength.PC, Strength.NONE)
        return Ordering(Strength.NONE, Strength.PC)
    if group == 0x38 and word >> 21 & 1 and field(word, 11, 10) == 0 and not word >> 26 & 1:
        if field(word, 15, 12) == 12:  # LDAPR
            return Ordering(Strength.PC, Strength.NONE)
        wanted, release = word >> 23 & 1, _sc(word >> 22 & 1)
        if t == 31:
            return Ordering(Strength.NONE, release, bool(wanted))
        return Ordering(_sc(wanted), release)
    return Ordering()
