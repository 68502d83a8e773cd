# SPDX-License-Identifier: MIT
"""Code out of ELF files: objects (with their relocations), libraries, programs."""

from __future__ import annotations

import io
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from atomics.emulator.image import BASE, OUTSIDE, Image, ImageError

LIMIT = 64 << 20  #: bytes of file, and of code, that are looked at
EXECUTABLE, ALLOCATED = 4, 2  # SHF_EXECINSTR, SHF_ALLOC

# Relocations of "ELF for the Arm 64-bit Architecture" (IHI 0056), by number: field and meaning.
_BRANCHES = {
    282: (0, 26),
    283: (0, 26),
    280: (5, 19),
    279: (5, 14),
}  # JUMP26 CALL26 CONDBR19 TSTBR14
_LOW12 = {277: 0, 278: 0, 284: 1, 285: 2, 286: 3, 299: 4}  # ADD, LDST8/16/32/64/128_ABS_LO12_NC
_ADR_PAGE, _ADR, _LD_LITERAL = (275, 276), 274, 273
_ABS64, _ABS32, _PREL64, _PREL32 = 257, 258, 260, 261


def is_elf(start: bytes) -> bool:
    return start[:4] == b"\x7fELF"


def load(path: Path, symbol: str | None) -> Image:
    """The image of one function of a file; without a name, of its only one. Raises ImageError."""
    file = functions(path)
    return file.image(_choose(path, file.ends, symbol, file.names))


@dataclass
class File:
    """The code of a file with relocations applied. ``names`` -> address of everything in it;
    ``ends`` -> behind the last instruction of each of its functions."""

    path: Path
    code: bytes
    names: dict[str, int]
    ends: dict[str, int]
    outside: dict[int, str]

    def image(self, name: str) -> Image:
        """The image that starts at one of its functions."""
        return Image(
            self.code,
            {each: self.names[each] for each in self.ends},
            f"{self.path.name}:{name}",
            self.names[name],
            self.ends[name],
            self.outside,
        )


def functions(path: Path) -> File:
    """Everything in a file. Raises ImageError."""
    if path.stat().st_size > LIMIT:
        raise ImageError(f"{path}: more than {LIMIT >> 20} MiB")
    raw = path.read_bytes()
    try:
        return _loaded(ELFFile(io.BytesIO(raw)), path)
    except ImageError:
        raise
    except Exception as error:  # pyelftools raises whatever a malformed field leads to
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ImageError(f"{path}: not a well-formed ELF file ({reason})") from None


def _loaded(elf: Any, path: Path) -> File:
    if elf["e_machine"] != "EM_AARCH64" or not elf.little_endian:
        raise ImageError(f"{path}: {elf['e_machine']}; little-endian AArch64 is wanted")
    sections = list(elf.iter_sections())
    relocatable = elf["e_type"] == "ET_REL"
    places: dict[int, int] = {}
    code = bytearray()
    lowest = min((s["sh_addr"] for s in sections if s["sh_flags"] & ALLOCATED), default=0)
    for index, section in enumerate(sections):
        if not section["sh_flags"] & ALLOCATED or section["sh_size"] == 0:
            continue
        if section["sh_size"] > LIMIT or len(code) > LIMIT:
            raise ImageError(f"{path}: more than {LIMIT >> 20} MiB of code and data")
        if relocatable:
            at = -len(code) % max(section["sh_addralign"], 4) + len(code)
        else:
            at = section["sh_addr"] - (lowest & ~0xFFF)
        if at > LIMIT:
            raise ImageError(f"{path}: sections lie more than {LIMIT >> 20} MiB apart")
        content = (
            bytes(section["sh_size"]) if section["sh_type"] == "SHT_NOBITS" else section.data()
        )
        code.extend(bytes(max(0, at + len(content) - len(code))))
        code[at : at + len(content)] = content
        places[index] = BASE + at
    table = next((s for s in sections if s["sh_type"] == "SHT_SYMTAB"), None) or next(
        (s for s in sections if s["sh_type"] == "SHT_DYNSYM"), None
    )
    if table is None:
        raise ImageError(f"{path}: no symbol table; it was stripped")
    names, outside = _symbols(table, sections, places, lowest, relocatable)
    ends = _ends(table, sections, places, names)
    if relocatable:
        _relocate(sections, places, table, outside, code, path)
    return File(path, bytes(code), names, ends, {at: name for name, at in outside.items()})


def _ends(
    table: Any, sections: list[Any], places: dict[int, int], names: dict[str, int]
) -> dict[str, int]:
    """Where each function ends: as its size says, else, as in assembly without .size, before the
    next one that is global or with its section."""
    functions = [
        one for one in table.iter_symbols() if one.name in names and _is_code(one, sections)
    ]
    starts = sorted(
        names[one.name]
        for one in functions
        if one["st_size"] or one["st_info"]["bind"] != "STB_LOCAL"
    )
    ends = {}
    for one in functions:
        start, size, index = names[one.name], one["st_size"], one["st_shndx"]
        later = starts[bisect_right(starts, start) :]
        behind = places[index] + sections[index]["sh_size"]
        ends[one.name] = start + size if size else min([behind, *later[:1]])
    return ends


def _is_code(one: Any, sections: list[Any]) -> bool:
    index = one["st_shndx"]
    typed = one["st_info"]["type"] in ("STT_FUNC", "STT_NOTYPE")
    if not isinstance(index, int) or not typed or not one.name or one.name[0] in "$.":
        return False
    return bool(sections[index]["sh_flags"] & EXECUTABLE)


def _symbols(
    table: Any, sections: list[Any], places: dict[int, int], lowest: int, relocatable: bool
) -> tuple[dict[str, int], dict[str, int]]:
    """Name -> address of what is there, and of what is not."""
    names: dict[str, int] = {}
    outside: dict[str, int] = {}
    for one in table.iter_symbols():
        index = one["st_shndx"]
        if not one.name:
            continue
        if index == "SHN_UNDEF":
            outside.setdefault(one.name, OUTSIDE + 16 * len(outside))
        elif index in places:
            base = places[index]
            if not relocatable:
                base -= sections[index]["sh_addr"]
            names[one.name] = base + one["st_value"]
    return names, outside


def _choose(
    path: Path, functions: dict[str, int], symbol: str | None, names: dict[str, int]
) -> str:
    if symbol is not None:
        if symbol not in names:
            raise ImageError(f"{path}: no symbol {symbol}; {_listed(functions)}")
        if symbol not in functions:
            raise ImageError(f"{path}: {symbol} is not code; {_listed(functions)}")
        return symbol
    if len(functions) == 1:
        return next(iter(functions))
    raise ImageError(f"{path}: name a symbol, {path.name}:SYMBOL; {_listed(functions)}")


def _listed(functions: dict[str, int]) -> str:
    if not functions:
        return "it has none"
    shown = sorted(functions)[:8]
    more = f" and {len(functions) - 8} more" if len(functions) > 8 else ""
    return f"it has {', '.join(shown)}{more}"


def _relocate(
    sections: list[Any],
    places: dict[int, int],
    table: Any,
    outside: dict[str, int],
    code: bytearray,
    path: Path,
) -> None:
    for section in sections:
        if section["sh_type"] != "SHT_RELA" or section["sh_info"] not in places:
            continue
        start = places[section["sh_info"]]
        flags = sections[section["sh_info"]]["sh_flags"]
        for one in section.iter_relocations():
            symbol = table.get_symbol(one["r_info_sym"])
            if isinstance(symbol["st_shndx"], int) and symbol["st_shndx"] in places:
                target = places[symbol["st_shndx"]] + symbol["st_value"]
            elif symbol.name in outside:
                target = outside[symbol.name]
            else:
                continue
            at = start + one["r_offset"]
            done = _patch(code, at, one["r_info_type"], target + one["r_addend"])
            if not done and flags & EXECUTABLE:
                raise ImageError(
                    f"{path}: relocation {one['r_info_type']} at {at - BASE:#x} is not supported; "
                    "link it first"
                )


def _patch(code: bytearray, at: int, kind: int, value: int) -> bool:
    """Apply one relocation; False if it is of a kind we do not know."""
    index = at - BASE
    word = int.from_bytes(code[index : index + 4], "little")
    if kind in (_ABS64, _PREL64):
        wide = value - at if kind == _PREL64 else value
        code[index : index + 8] = (wide & (1 << 64) - 1).to_bytes(8, "little")
        return True
    if kind in (_ABS32, _PREL32):
        word = (value - at if kind == _PREL32 else value) & 0xFFFFFFFF
    elif kind in _BRANCHES:
        low, bits = _BRANCHES[kind]
        word |= ((value - at) >> 2 & ((1 << bits) - 1)) << low
    elif kind in _LOW12:
        word |= (value & 0xFFF) >> _LOW12[kind] << 10
    elif kind in _ADR_PAGE or kind == _ADR:
        offset = (value >> 12) - (at >> 12) if kind in _ADR_PAGE else value - at
        word |= (offset & 3) << 29 | (offset >> 2 & 0x7FFFF) << 5
    elif kind == _LD_LITERAL:
        word |= ((value - at) >> 2 & 0x7FFFF) << 5
    else:
        return False
    code[index : index + 4] = word.to_bytes(4, "little")
    return True
