# SPDX-License-Identifier: MIT
"""Reservation methods out of their C sources: the words of their functions, and their row.

A method is taken as it is measured if it needs nothing outside itself and its state is small, else
as DWCAS_CHECKED of csrc/locks/checked.h makes it; where that calls something too, it is refused.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from atomics.emulator.closure import Needs, closure
from atomics.emulator.elf.file import File

PARTS = "reserve", "start", "finish"
LARGEST = 1024  #: bytes of state that can be explored
#: the model lets constants be reached by ADR, and so lie behind the words
CHECKED = ["-DDWCAS_CHECKED", "-mcmodel=tiny"]

#: of struct dwcas_method: kind, links (sleeps, telling), state_bytes, start, reserve, finish
_ROW = struct.Struct("<I?xxxQQQQ")
_ROW_AT = 32

Compile = Callable[[str, str, list[str]], File]  #: (source, backend, more flags) -> object file


@dataclass
class Method:
    """One method, for every backend."""

    links: bool
    state_bytes: int
    checked: bool  #: not as it is measured
    words: dict[str, dict[str, list[int]]] = field(default_factory=dict)  #: backend -> part -> ...


def names(csrc: Path, broken: bool = False) -> list[str]:
    """The identifiers of methods.def that reserve; or of those that are wrong on purpose."""
    text = (csrc / "wal" / "methods" / "methods.def").read_text(encoding="utf-8")
    found = re.findall(r"^METHOD\((\w+)\)", text, re.M)
    kept = [one for one in found if one.startswith("broken_") is broken]
    return [one for one in kept if one != "engine_only"]


def method(name: str, backends: list[str], compiled: Compile) -> Method:
    """As measured if that can be explored, else as DWCAS_CHECKED makes it. Raises Needs."""
    try:
        made = _method(name, backends, compiled, [])
        if made.state_bytes <= LARGEST:
            return made
    except Needs:
        pass
    return _method(name, backends, compiled, CHECKED)


def _method(name: str, backends: list[str], compiled: Compile, flags: list[str]) -> Method:
    folder = "broken/" if name.startswith("broken_") else ""
    made = Method(False, 0, bool(flags))
    for backend in backends:
        file = compiled(f"wal/methods/{folder}{name}.c", backend, flags)
        starts = {one.start: one.name for one in file.functions}
        made.links, made.state_bytes, parts = _row(file, f"dwcas_method_{name}_{backend}")
        made.words[backend] = {
            part: closure(file, starts[at]) for part, at in zip(PARTS, parts, strict=True)
        }
    return made


def _row(file: File, symbol: str) -> tuple[bool, int, tuple[int, ...]]:
    """What a `dwcas_method` says: links, state_bytes, where its parts are."""
    found = next(one for one in file.symbols if one.name == symbol)
    image = file.image(file.functions[0].name)
    at = file.layout.address(found) - image.base + _ROW_AT
    _, links, size, start, reserve, finish = _ROW.unpack_from(image.code, at)
    return links, size, (reserve, start, finish)
