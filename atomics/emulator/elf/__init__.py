# SPDX-License-Identifier: MIT
"""Code out of ELF files: objects, libraries (static ones too), programs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from atomics.emulator.elf import archive
from atomics.emulator.elf.file import File, Stripped, listed
from atomics.emulator.elf.layout import LIMIT
from atomics.emulator.image import Image, ImageError
from atomics.emulator.printable import printable
from atomics.emulator.text_file import open_regular

_ELF = b"\x7fELF"


def is_elf(start: bytes) -> bool:
    """Whether a file that starts so is ours to read: ELF, or an archive of such."""
    return start[:4] in (_ELF, archive.MAGIC[:4], archive.THIN[:4])


def load(path: Path, symbol: str | None) -> Image:
    """The image of one function of a file; without a name, of its only one. Raises ImageError,
    OSError."""
    raw, label = _read(path), printable(str(path))
    if raw.startswith(_ELF):
        with _well_formed(label):
            return File(raw, printable(path.name), label).image(symbol)
    return _from_archive(raw, printable(path.name), label, symbol)


def functions(path: Path) -> File:
    """Everything in a file. Raises ImageError, OSError."""
    raw, label = _read(path), printable(str(path))
    with _well_formed(label):
        return File(raw, printable(path.name), label)


def _read(path: Path) -> bytes:
    with open_regular(path) as file:
        raw = file.read(LIMIT + 1)
    if len(raw) > LIMIT:
        raise ImageError(f"{printable(str(path))}: more than {LIMIT >> 20} MiB")
    return raw


def _from_archive(raw: bytes, name: str, label: str, symbol: str | None) -> Image:
    """From the member that has the function; what it calls in others is outside."""
    files = []
    for member, content in archive.members(raw, label):
        if content.startswith(_ELF):
            inside = f"({printable(member)})"
            with _well_formed(f"{label}{inside}"), suppress(Stripped):
                files.append(File(content, f"{name}{inside}", f"{label}{inside}"))
    all_ = [one for file in files for one in file.functions]
    if symbol is None and len(all_) != 1:
        raise ImageError(f"{label}: name a symbol, {name}:SYMBOL; {listed(all_)}")
    having = [file for file in files if file.has(symbol)]
    if not having:
        raise ImageError(f"{label}: no function {printable(symbol or '')}; {listed(all_)}")
    if len(having) > 1:
        members = " and ".join(file.name for file in having)
        raise ImageError(
            f"{label}: {printable(symbol or '')} is in {members}; take one out with ar x"
        )
    (file,) = having
    with _well_formed(file.label):
        return file.image(symbol)


@contextmanager
def _well_formed(label: str) -> Iterator[None]:
    try:
        yield
    except ImageError:
        raise
    except Exception as error:  # pyelftools raises whatever a malformed field leads to
        reason = printable(str(error).splitlines()[0]) if str(error) else type(error).__name__
        raise ImageError(f"{label}: not a well-formed ELF file ({reason})") from None
