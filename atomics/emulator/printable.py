# SPDX-License-Identifier: MIT
"""Names out of files as they may be shown: a symbol can hold any byte, and reaches a terminal."""

from __future__ import annotations


def printable(name: str) -> str:
    """The name with what moves a cursor, hides or is no text written as ``\\x1b``."""
    return name if name.isprintable() else "".join(map(_shown, name))


def _shown(letter: str) -> str:
    if letter.isprintable():
        return letter
    code = ord(letter)
    return f"\\x{code & 0xFF:02x}" if code < 0x100 or 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def decoded(name: bytes) -> str:
    """A name as Python has it on the command line, so that the two are equal."""
    return name.decode("utf-8", "surrogateescape")
