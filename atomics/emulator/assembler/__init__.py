# SPDX-License-Identifier: MIT
"""Assembly source as an image, with no toolchain: our assembler knows what sequences are made of;
where it meets more (macros, the C preprocessor, vectors) an installed one takes over."""

from __future__ import annotations

from pathlib import Path

from atomics.emulator.assembler import installed
from atomics.emulator.assembler.operands import AssemblyError
from atomics.emulator.assembler.source import assemble
from atomics.emulator.image import Image, ImageError
from atomics.emulator.printable import printable
from atomics.emulator.text_file import read_text

__all__ = ["AssemblyError", "assemble", "load"]


def load(path: Path, symbol: str | None) -> Image:
    """The image of an assembly file. Raises ImageError and OSError."""
    text = read_text(path)
    try:
        return assemble(text, printable(path.name), symbol)
    except AssemblyError as ours:
        command = installed.command()
        if command is None:
            raise ImageError(
                f"{ours}, and no other for arm64 is installed ({installed.NAMES}); "
                "or give the object file"
            ) from None
        return installed.load(command, path, symbol)
