# SPDX-License-Identifier: MIT
"""Symbol tables of ELF files, and names out of them as they may be shown."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from atomics.emulator.printable import decoded

UNDEFINED, ABSOLUTE, COMMON = 0, 0xFFF1, 0xFFF2  # st_shndx: SHN_UNDEF, SHN_ABS, SHN_COMMON
_UNTYPED, _OBJECT, _FUNCTION, _COMMON, _THREAD_LOCAL, _CHOSEN = 0, 1, 2, 5, 6, 10  # STT_...
_ENTRY = struct.Struct("<IBBHQQ")


class Symbol(NamedTuple):
    name: str
    value: int
    size: int
    section: int  #: its index, or one of the above
    type: int
    local: bool

    @property
    def may_be_code(self) -> bool:
        """A function or an assembly label; "$x" and ".L1" are no names."""
        return self.type in (_UNTYPED, _FUNCTION) and bool(self.name) and self.name[0] not in "$."

    @property
    def may_be_data(self) -> bool:
        return self.type in (_UNTYPED, _OBJECT, _COMMON) and bool(self.name) and self.name[0] != "$"

    @property
    def elsewhere(self) -> bool:
        """Defined in another file."""
        return self.section == UNDEFINED and bool(self.name)

    @property
    def thread_local(self) -> bool:
        return self.type == _THREAD_LOCAL

    @property
    def chosen_at_start(self) -> bool:
        """STT_GNU_IFUNC: its code only returns the address of the function."""
        return self.type == _CHOSEN

    @property
    def common(self) -> bool:
        """A variable for which the linker makes room."""
        return self.section == COMMON


def symbols(table: Any, strings: bytes) -> list[Symbol]:
    """The symbols of a section, by index. pyelftools would take 20 times as long."""
    found = []
    for name, info, _, section, value, size in _ENTRY.iter_unpack(table.data()):
        text = decoded(strings[name : strings.find(b"\0", name)])
        found.append(Symbol(text, value, size, section, info & 15, info >> 4 == 0))
    return found
