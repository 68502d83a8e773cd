# SPDX-License-Identifier: MIT
"""What a person names as the thing to check, as an image."""

from __future__ import annotations

import re
from pathlib import Path

from atomics.emulator import assembler, elf, kernels
from atomics.emulator.image import Image, ImageError, from_words
from atomics.emulator.kernels import Kernel
from atomics.emulator.printable import printable
from atomics.emulator.text_file import open_regular, read_text


def find(text: str) -> tuple[Image, Kernel | None]:
    """``FILE[:SYMBOL]`` (assembly source, object, library or program), ``words:HEX,HEX`` or
    ``kernel:NAME``. A kernel comes with its row. Raises ImageError."""
    kind, _, rest = text.partition(":")
    if kind == "words":
        return from_words(_hexadecimal(rest), "words"), None
    if kind == "kernel":
        row = kernels.find(rest)
        return row.image, row
    path, symbol = Path(text), None
    try:
        if not path.exists() and ":" in text:
            head, _, symbol = text.rpartition(":")
            path = Path(head)
        return _from_file(path, symbol), None
    except OSError as error:
        raise ImageError(f"{printable(str(path))}: {error.strerror or error}") from None


def _from_file(path: Path, symbol: str | None) -> Image:
    name = printable(str(path))
    with open_regular(path) as file:
        start = file.read(4)
    if elf.is_elf(start):
        return elf.load(path, symbol)
    if path.suffix in (".S", ".s", ".asm"):
        return assembler.load(path, symbol)
    if path.suffix in (".hex", ".txt"):
        return from_words(_hexadecimal(read_text(path)), printable(path.name))
    raise ImageError(
        f"{name}: neither an ELF file nor .S, .s (assembly) or .hex (words); what is it?"
    )


def _hexadecimal(text: str) -> list[int]:
    """Words such as ``c87f1d06``, ``0xc87f1d06`` or ``.inst 0xc87f1d06``, one or several a line."""
    found = []
    for line in text.splitlines():
        plain = re.sub(r"//.*|#.*|;.*", "", line).replace(".inst", " ")
        for item in re.split(r"[\s,]+", plain.strip()):
            if not item:
                continue
            if not re.fullmatch(r"(0[xX])?[0-9a-fA-F]{8}", item):
                raise ImageError(f"words: {item!r} is no instruction word of 8 hexadecimal digits")
            found.append(int(item, 16))
    return found
