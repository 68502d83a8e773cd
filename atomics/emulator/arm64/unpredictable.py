# SPDX-License-Identifier: MIT
"""Words that the architecture leaves CONSTRAINED UNPREDICTABLE or UNDEFINED, though assemblers
and emulators let many of them through.

Source: Arm DDI 0487, pseudocode of LDXP, STXP, STXR, CASP, SWPP, LDP, LDR ("decode for all
variants of this encoding"), and K1.2 (CONSTRAINED UNPREDICTABLE behaviours).
"""

from __future__ import annotations

from atomics.emulator.arm64.registers import field

UNPREDICTABLE = "CONSTRAINED UNPREDICTABLE"
UNDEFINED = "UNDEFINED"


def problem_rule(problem: str) -> str:
    """The id of the rule that a reason of this file breaks."""
    return "undefined" if problem.startswith(UNDEFINED) else "unpredictable"


def _exclusives(word: int) -> str | None:
    o2, load, pair = word >> 23 & 1, word >> 22 & 1, word >> 21 & 1
    s, t2, n, t = field(word, 20, 16), field(word, 14, 10), field(word, 9, 5), word & 31
    if pair and not o2 and not word >> 31:
        if s & 1 or t & 1:
            return f"{UNDEFINED}: the register pairs of CASP start at an even number"
        return None
    if o2:
        return None
    if load:
        if pair and t == t2:
            return f"{UNPREDICTABLE}: both halves are loaded into one register"
        return None
    if s == t or (pair and s == t2):
        return f"{UNPREDICTABLE}: the status register is a data register"
    if s == n and n != 31:
        return f"{UNPREDICTABLE}: the status register is the base register"
    return None


def _pairs(word: int) -> str | None:
    mode, load = field(word, 24, 23), word >> 22 & 1
    t2, n, t = field(word, 14, 10), field(word, 9, 5), word & 31
    if load and t == t2:
        return f"{UNPREDICTABLE}: both halves are loaded into one register"
    if mode & 1 and n in (t, t2) and n != 31 and not word >> 26 & 1:
        return f"{UNPREDICTABLE}: the base is written back and is a data register"
    return None


def _singles(word: int) -> str | None:
    n, t = field(word, 9, 5), word & 31
    indexed = not word >> 24 & 1 and not word >> 21 & 1 and word >> 10 & 1
    if indexed and n == t and n != 31 and not word >> 26 & 1:
        return f"{UNPREDICTABLE}: the base is written back and is the data register"
    return None


def _lse128(word: int) -> str | None:
    t2, t = field(word, 20, 16), word & 31
    if 31 in (t, t2):
        return f"{UNDEFINED}: the zero register is no data register of a 16-byte operation"
    if t == t2:
        return f"{UNPREDICTABLE}: both halves are in one register"
    return None


def reason(word: int) -> str | None:
    """Why a word may not be relied on, or None."""
    group = field(word, 29, 24)
    if group == 0x08:
        return _exclusives(word)
    if word >> 24 == 0x19:
        return _lse128(word)
    if group == 0x19 and field(word, 11, 10) == 2:
        load, t2, t = word >> 22 & 1, field(word, 20, 16), word & 31
        if load and t == t2:
            return f"{UNPREDICTABLE}: both halves are loaded into one register"
    if field(word, 29, 27) == 5 and not word >> 25 & 1:
        return _pairs(word)
    if field(word, 29, 27) == 7 and not word >> 25 & 1:
        return _singles(word)
    return None
