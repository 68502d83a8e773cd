# SPDX-License-Identifier: MIT
"""Operands of assembly statements: registers, numbers, addresses, shifts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from atomics.emulator.printable import printable


class AssemblyError(ValueError):
    """A statement that this assembler cannot translate: one line that says which and why."""


def shown(text: str) -> str:
    """A text that quotes source, as a line for a person: printable, without words of any length."""
    return re.sub(r"(\S{100})\S+", r"\1...", printable(text))


@dataclass(frozen=True)
class Register:
    number: int
    wide: bool  #: x or w
    stack: bool = False  #: sp or wsp, not the zero register


@dataclass(frozen=True)
class Address:
    """[base, offset]; ``index`` is another register, with its extension and shift."""

    base: int
    offset: int = 0
    pre: bool = False
    post: bool = False
    index: Register | None = None
    extend: str = "lsl"
    shift: int | None = None


CONDITIONS = [
    "eq",
    "ne",
    "cs",
    "cc",
    "mi",
    "pl",
    "vs",
    "vc",
    "hi",
    "ls",
    "ge",
    "lt",
    "gt",
    "le",
    "al",
    "nv",
]
_SYNONYMS = {"hs": "cs", "lo": "cc", "any": "ne", "none": "eq"}
SHIFTS = ("lsl", "lsr", "asr", "ror")
#: as GNU's assembler and C have it: 010 is 8
_BASES = {"0x": 16, "0b": 2, "0": 8, "": 10}
_DIGITS = len("0b") + 64  #: that a number of 64 bits has at most, in any base
EXTENDS = ("uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx")


def split(text: str) -> list[str]:
    """Operands at commas outside brackets. Raises AssemblyError."""
    if re.sub(r"[^\[\]]", "", text) not in ("", "[]"):
        raise AssemblyError(f"{text}: no address, brackets do not match")
    if not text.strip():
        return []
    found = re.findall(r"((?:[^,\[]|\[[^\]]*\])*),", text + ",")
    parts = [part.strip() for part in found]
    if not all(parts):
        raise AssemblyError(f"{text}: nothing before or behind a comma")
    return parts


def register(text: str) -> Register | None:
    """The register that a text names, or None."""
    text = text.lower()
    if text in ("sp", "wsp"):
        return Register(31, text == "sp", True)
    if text in ("xzr", "wzr"):
        return Register(31, text == "xzr")
    if text == "lr":
        return Register(30, True)
    match = re.fullmatch(r"([xw])([12]?[0-9]|30)", text)
    if match is None:
        return None
    return Register(int(match[2]), match[1] == "x")


def number(text: str) -> int | None:
    """A number, with or without ``#``, or None. Raises AssemblyError past 64 bits."""
    match = re.fullmatch(r"#?\s*([+-]?)([0-9][0-9a-zA-Z]*)", text.strip())
    if match is None:
        return None
    base = next(base for start, base in _BASES.items() if match[2].lower().startswith(start))
    try:
        value = int(match[1] + match[2], base) if len(match[2]) <= _DIGITS else 1 << 64
    except ValueError:
        raise AssemblyError(f"{text}: no number of base {base}") from None
    if not -(1 << 63) <= value < 1 << 64:
        raise AssemblyError(f"{text}: does not fit into 64 bits")
    return value


def condition(text: str) -> int:
    """The number of a condition. Raises AssemblyError."""
    name = _SYNONYMS.get(text.lower(), text.lower())
    if name not in CONDITIONS:
        raise AssemblyError(f"{text}: no condition")
    return CONDITIONS.index(name)


def modifier(text: str) -> tuple[str, int | None]:
    """``lsl #3`` or ``sxtw``: (name, amount). Raises AssemblyError."""
    match = re.fullmatch(r"([a-z]+)\s*(.*)", text.strip().lower())
    if match is None or match[1] not in (*SHIFTS, *EXTENDS):
        raise AssemblyError(f"{text}: no shift or extension")
    amount = number(match[2])
    if amount is None and match[2]:
        raise AssemblyError(f"{text}: {match[2]} is no number")
    return match[1], amount


def address(parts: list[str]) -> Address:
    """The address that the last operands are. Raises AssemblyError."""
    match = re.fullmatch(r"\[([^\]]*)\](!?)", parts[0])
    if match is None:
        raise AssemblyError(f"{parts[0]}: no address")
    inner = split(match[1])
    base = register(inner[0]) if inner else None
    if base is None or not base.wide or (base.number == 31 and not base.stack):
        raise AssemblyError(f"{parts[0]}: the base is x0 to x30 or sp")
    if len(parts) > 1:
        offset = number(parts[1])
        if offset is None or len(parts) > 2 or len(inner) > 1 or match[2]:
            raise AssemblyError(f"{', '.join(parts)}: no post-indexed address")
        return Address(base.number, offset, post=True)
    if len(inner) == 1:
        if match[2]:
            raise AssemblyError(f"{parts[0]}: ! needs an offset, as in [x0, #16]!")
        return Address(base.number)
    offset = number(inner[1])
    if offset is not None and len(inner) == 2:
        return Address(base.number, offset, pre=bool(match[2]))
    index = register(inner[1])
    if index is None or index.stack or match[2] or len(inner) > 3:
        raise AssemblyError(f"{parts[0]}: no address")
    extend, shift = modifier(inner[2]) if len(inner) == 3 else ("lsl", None)
    if extend not in (("lsl", "sxtx") if index.wide else ("uxtw", "sxtw")):
        raise AssemblyError(f"{parts[0]}: an x register goes with lsl or sxtx, w with uxtw or sxtw")
    if len(inner) == 3 and extend == "lsl" and shift is None:
        raise AssemblyError(f"{parts[0]}: lsl by how much?")
    return Address(base.number, index=index, extend=extend, shift=shift)
