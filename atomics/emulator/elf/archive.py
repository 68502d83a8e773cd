# SPDX-License-Identifier: MIT
"""Static libraries: the members of an ar archive as GNU and LLVM tools write it."""

from __future__ import annotations

from collections.abc import Iterator

from atomics.emulator.image import ImageError
from atomics.emulator.printable import decoded

MAGIC, THIN = b"!<arch>\n", b"!<thin>\n"
_HEADER = 60  # name 16, date 12, owner 6, group 6, mode 8, size 10, end 2


def members(raw: bytes, label: str) -> Iterator[tuple[str, bytes]]:
    """(name, content) of each. Raises ImageError."""
    if raw.startswith(THIN):
        raise ImageError(f"{label}: a thin archive, which holds no code; give its members")
    long_names = b""
    at = len(MAGIC)
    while at < len(raw):
        header = raw[at : at + _HEADER]
        if len(header) < _HEADER or header[58:] != b"`\n" or not header[48:58].strip().isdigit():
            raise ImageError(f"{label}: not a well-formed archive, at byte {at}")
        name, size = header[:16].rstrip(), int(header[48:58])
        content = raw[at + _HEADER : at + _HEADER + size]
        if len(content) < size:
            raise ImageError(f"{label}: cut off in the member at byte {at}")
        if name == b"//":
            long_names = content
        elif name[:1] == b"/" and name[1:].isdigit():
            yield decoded(long_names[int(name[1:]) :].split(b"/\n")[0]), content
        elif name not in (b"/", b"/SYM64/"):  # the indexes of symbols
            yield decoded(name.removesuffix(b"/")), content
        at += _HEADER + size + size % 2
