# SPDX-License-Identifier: MIT
"""Which source line an address comes from, where the file says so (DWARF)."""

from __future__ import annotations

import io
from bisect import bisect_right
from functools import cached_property
from typing import Any

from elftools.elf.elffile import ELFFile

from atomics.emulator.elf.layout import EXECUTABLE, Layout
from atomics.emulator.printable import printable

LARGEST = 1 << 20  #: bytes of .debug_line; reading more takes longer than the line is worth


class Lines:
    """``lines(address)`` is ``file:line`` or None; the file is read at the first call. None too for
    objects with several sections of code, whose addresses all start at 0."""

    def __init__(self, raw: bytes, layout: Layout, sections: list[Any]) -> None:
        self._raw = raw
        code = [n for n in layout.places if sections[n]["sh_flags"] & EXECUTABLE]
        code = [n for n in code if sections[n]["sh_size"]]
        self._known = not layout.movable or len(code) == 1
        self._bias = layout.places[code[0]] if layout.movable and code else layout.bias

    def __call__(self, address: int) -> str | None:
        starts, labels = self._table
        index = bisect_right(starts, address - self._bias) - 1
        return labels[index] if index >= 0 else None

    @cached_property
    def _table(self) -> tuple[list[int], list[str | None]]:
        """Starts of ranges, ascending, and the line of each; None behind the end of a sequence."""
        try:
            rows = sorted(self._rows(), key=lambda row: row[0]) if self._known else []
        except Exception:  # pyelftools raises whatever a malformed field leads to; lines are extra
            rows = []
        return [at for at, _ in rows], [label for _, label in rows]

    def _rows(self) -> list[tuple[int, str | None]]:
        elf = ELFFile(io.BytesIO(self._raw))
        section = elf.get_section_by_name(".debug_line")
        if section is None or section.data_size > LARGEST:
            return []
        dwarf = elf.get_dwarf_info()
        rows: list[tuple[int, str | None]] = []
        for unit in dwarf.iter_CUs():
            program: Any = dwarf.line_program_for_CU(unit)
            for entry in program.get_entries() if program is not None else []:
                state = entry.state
                if state is not None:
                    first = 0 if program["version"] >= 5 else 1
                    name = program["file_entry"][state.file - first].name
                    label = f"{printable(name.decode('utf-8', 'replace'))}:{state.line}"
                    rows.append((state.address, None if state.end_sequence else label))
        return rows
