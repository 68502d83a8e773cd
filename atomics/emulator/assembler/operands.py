# SPDX-License-Identifier: MIT
"""Operands of assembly statements: registers, numbers, addresses, shifts."""

from __future__ import annotations

import re
from dataclasses import dataclass


class AssemblyError(ValueError):
    """A statement that this assembler cannot translate: one line that says which and why."""


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
EXTENDS = ("uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx")


def split(text: str) -> list[str]:
    """Operands at commas outside brackets. Raises AssemblyError."""
    if re.sub(r"[^\[\]]", "", text) not in ("", "[]"):
        raise AssemblyError(f"{text}: no address, brackets do not match")
    parts = re.findall(r"(?:\[[^\]]*\]!?|[^,\[])+", text)
    return [part.strip() for part in parts if part.strip()]


def register(text: str) -> Register | None:
    """The register that a text names, or None."""
    text = text.lower()
    if text in ("sp", "wsp"):
        return Register(31, text == "sp", True)
    if text in ("xzr", "wzr"):
        return Register(31, text == "xzr")
    if text == "lr":
        return Register(30, True)
    match = re.fullmatch(r"([xw])(\d{1,2})", text)
    if match is None or int(match[2]) > 30:
        return None
    return Register(int(match[2]), match[1] == "x")


def number(text: str) -> int | None:
    """A number, with or without ``#``, or None."""
    match = re.fullmatch(r"#?\s*([+-]?)(0[xX][0-9a-fA-F]+|\d+)", text.strip())
    if match is None:
        return None
    value = int(match[2], 16 if match[2][:2].lower() == "0x" else 10)
    return -value if match[1] == "-" else value


def condition(text: str) -> int:
    """The number of a condition. Raises AssemblyError."""
    name = _SYNONYMS.get(text.lower(), text.lower())
    if name not in CONDITIONS:
        raise AssemblyError(f"{text}: no condition")
    return CONDITIONS.index(name)


def modifier(text: str) -> tuple[str, int | None]:
    """``lsl #3`` or ``sxtw``: (name, amount). Raises AssemblyError."""
    match = re.fullmatch(r"([a-z]+)\s*(?:#?\s*(\d+|0x[0-9a-f]+))?", text.strip().lower())
    if match is None or match[1] not in (*SHIFTS, *EXTENDS):
        raise AssemblyError(f"{text}: no shift or extension")
    return match[1], None if match[2] is None else int(match[2], 0)


def address(parts: list[str]) -> Address:
    """The address that the last operands are. Raises AssemblyError."""
    match = re.fullmatch(r"\[([^\]]*)\](!?)", parts[0])
    if match is None:
        raise AssemblyError(f"{parts[0]}: no address")
    inner = split(match[1])
    base = register(inner[0]) if inner else None
    if base is None or not base.wide or (base.number == 31 and not base.stack):
        raise AssemblyError(f"{parts[0]}: the base is x0 to x30 or sp")
    if len(parts) == 2:
        offset = number(parts[1])
        if offset is None or len(inner) > 1 or match[2]:
            raise AssemblyError(f"{', '.join(parts)}: no post-indexed address")
        return Address(base.number, offset, post=True)
    if len(inner) == 1:
        return Address(base.number, pre=bool(match[2]))
    offset = number(inner[1])
    if offset is not None and len(inner) == 2:
        return Address(base.number, offset, pre=bool(match[2]))
    index = register(inner[1])
    if index is None or match[2] or len(inner) > 3:
        raise AssemblyError(f"{parts[0]}: no address")
    extend, shift = modifier(inner[2]) if len(inner) == 3 else ("lsl", None)
    return Address(base.number, index=index, extend=extend, shift=shift)
