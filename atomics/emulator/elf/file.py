# SPDX-License-Identifier: MIT
"""One ELF file: its functions, and its bytes as they are once it is loaded."""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from collections import Counter
from functools import cached_property
from typing import Any, NamedTuple

from elftools.elf.elffile import ELFFile

from atomics.emulator.elf.layout import ALLOCATED, COMPRESSED, EXECUTABLE, WRITABLE, laid_out
from atomics.emulator.elf.lines import Lines
from atomics.emulator.elf.loading import Loaded, loaded
from atomics.emulator.elf.symbols import Symbol, symbols
from atomics.emulator.image import Image, ImageError
from atomics.emulator.printable import printable
from atomics.emulator.spans import Spans, between


class Function(NamedTuple):
    name: str  #: as it may be shown; where several have one name, with the address
    start: int
    end: int  #: behind its last instruction
    symbol: Symbol


class Stripped(ImageError):
    """A file without symbols, such as a member of an archive that has only a comment."""


class File:
    """``name`` is how it is shown, ``label`` how errors name it. Raises ImageError."""

    def __init__(self, raw: bytes, name: str, label: str) -> None:
        elf = ELFFile(io.BytesIO(raw))
        if elf["e_machine"] != "EM_AARCH64" or not elf.little_endian or elf.elfclass != 64:
            raise ImageError(f"{label}: {elf['e_machine']}; little-endian AArch64 is wanted")
        self.name, self.label, self._raw = name, label, raw
        self.sections: list[Any] = list(elf.iter_sections())
        if any(one["sh_flags"] & COMPRESSED and _is_read(one) for one in self.sections):
            raise ImageError(f"{label}: code, data or symbols are compressed")
        self._tables: dict[int, list[Symbol]] = {}
        kinds = [section["sh_type"] for section in self.sections]
        table = next((kinds.index(one) for one in ("SHT_SYMTAB", "SHT_DYNSYM") if one in kinds), 0)
        if not table:
            raise Stripped(f"{label}: no symbol table; it was stripped")
        self.symbols = self._table(table)
        self.layout = laid_out(elf, self.sections, self.symbols, label)
        self.functions = self._functions()

    @property
    def ends(self) -> dict[str, int]:
        """Where each function ends, by name."""
        return {one.name: one.end for one in self.functions}

    def image(self, symbol: str | None) -> Image:
        """The image that starts at one of its functions; without a name, at its only one."""
        chosen = self._choose(symbol)
        code, outside, unresolved = self._loaded
        return Image(
            code,
            self._marks | {one.name: one.start for one in self.functions},
            f"{self.name}:{chosen.name}",
            chosen.start,
            chosen.end,
            outside,
            base=self.layout.base,
            writable=self._writable,
            unresolved=unresolved,
            line=Lines(self._raw, self.layout, self.sections),
        )

    @property
    def _marks(self) -> dict[str, int]:
        """Code that no symbol names: ``.plt+32`` instead of the function that is before it."""
        return {
            printable(self.sections[index].name): at
            for index, at in self.layout.places.items()
            if self._flags(index) & EXECUTABLE and not self.layout.movable
        }

    def has(self, symbol: str | None) -> bool:
        """Whether a function is called so; of None, whether there is one."""
        return any(symbol is None or symbol in _names(one) for one in self.functions)

    def _choose(self, symbol: str | None) -> Function:
        found = [one for one in self.functions if symbol is None or symbol in _names(one)]
        if symbol is not None and not found and re.fullmatch("0x[0-9a-fA-F]+", symbol):
            start = int(symbol, 16)
            found = [one for one in self.functions if self._number(one) == start][:1]
        if len({one.start for one in found}) == 1 and (symbol or len(found) == 1):
            return found[0]
        if symbol is None:
            raise ImageError(
                f"{self.label}: name a symbol, {self.name}:SYMBOL; {listed(self.functions)}"
            )
        shown = printable(symbol)
        if found:
            places = ", ".join(self._placed(one) for one in found)
            raise ImageError(
                f"{self.label}: {len(found)} functions are called {shown}: {places}; "
                f"name one as {self.name}:{self._number(found[0]):#x}"
            )
        known = any(symbol in (one.name, printable(one.name)) for one in self.symbols)
        what = f"{shown} is not code" if known else f"no symbol {shown}"
        raise ImageError(f"{self.label}: {what}; {listed(self.functions)}")

    def _number(self, one: Function) -> int:
        """The address that a user has for it: in objects, where all start at 0, from the first."""
        return one.start - (self.layout.base if self.layout.movable else self.layout.bias)

    def _placed(self, one: Function) -> str:
        section = printable(self.sections[one.symbol.section].name)
        inside = f" ({section}+{one.symbol.value:#x})" if self.layout.movable else ""
        return f"{self._number(one):#x}{inside}"

    def _table(self, index: int) -> list[Symbol]:
        """The symbols of the table in a section; none where there is no such section."""
        if index not in self._tables:
            section = self.sections[index]
            self._tables[index] = (
                symbols(section, self.sections[section["sh_link"]].data())
                if section["sh_type"] in ("SHT_SYMTAB", "SHT_DYNSYM")
                else []
            )
        return self._tables[index]

    def _functions(self) -> list[Function]:
        """A function ends as its size says, else, as in assembly without .size, before the next
        one that is global or has one, or with its section."""
        found = [
            (self.layout.address(one), one)
            for one in self.symbols
            if one.may_be_code and self._flags(one.section) & EXECUTABLE
        ]
        starts = sorted(at for at, one in found if one.size or not one.local)
        twins = Counter(name for name, _ in {(one.name, at) for at, one in found})
        made = []
        for at, one in found:
            behind = self.layout.places[one.section] + self.sections[one.section]["sh_size"]
            next_ = bisect_right(starts, at)
            end = at + one.size if one.size else min([behind, *starts[next_ : next_ + 1]])
            made.append(Function(printable(one.name), at, end, one))
        return [
            one._replace(name=f"{one.name}@{self._number(one):#x}")
            if twins[one.symbol.name] > 1
            else one
            for one in made
        ]

    def _flags(self, section: int) -> int:
        return int(self.sections[section]["sh_flags"]) if section in self.layout.places else 0

    @property
    def _writable(self) -> Spans:
        marks: dict[int, list[tuple[int, str]]] = {
            index: [(at, printable(self.sections[index].name))]
            for index, at in self.layout.places.items()
            if self._flags(index) & WRITABLE
        }
        for one in self.symbols:
            if one.section in marks and one.may_be_data:
                marks[one.section].append((self.layout.address(one), printable(one.name)))
        spans = [
            span
            for index, inside in marks.items()
            for span in between(inside, inside[0][0] + self.sections[index]["sh_size"])
        ]
        common = [(at, printable(name)) for name, at in self.layout.commons.items()]
        return Spans([*spans, *between(common, self.layout.limit)])

    @cached_property
    def _loaded(self) -> Loaded:
        return loaded(self.sections, self.layout, self._table, self.label)


def _is_read(section: Any) -> bool:
    """All but what debuggers read, which alone may be compressed."""
    return section["sh_type"] != "SHT_PROGBITS" or bool(section["sh_flags"] & ALLOCATED)


def _names(one: Function) -> tuple[str, ...]:
    return one.symbol.name, printable(one.symbol.name), one.name


def listed(functions: list[Function]) -> str:
    """The first few of them."""
    names = sorted({one.name for one in functions})
    if not names:
        return "it has none"
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"it has {', '.join(names[:8])}{more}"
