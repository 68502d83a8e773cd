# SPDX-License-Identifier: MIT
"""Assembly source to an image: statements, labels and the directives that hand-written code has."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import partial

from atomics.emulator.assembler.encode import encode
from atomics.emulator.assembler.operands import AssemblyError, number, shown, split
from atomics.emulator.image import BASE, LARGEST, Image, ImageError

#: directives without an effect on the words
_IGNORED = re.compile(
    r"\.(text|arch|arch_extension|cpu|type|hidden|weak|local|file|ident|loc|cfi_\w+|section|"
    r"previous|func|endfunc|title|extern|att_syntax|variant_pcs|protected|internal)$"
)
_DATA = {
    ".inst": 4, ".word": 4, ".4byte": 4, ".long": 4, ".int": 4,
    ".xword": 8, ".8byte": 8, ".quad": 8, ".dword": 8,
}  # fmt: skip


_LABEL = re.compile(r"\s*([A-Za-z_.$][\w.$]*|[0-9]+):")


@dataclass
class _Statement:
    line: int
    offset: int
    mnemonic: str
    operands: list[str]


class _Program:
    """First pass: where every statement and label is."""

    def __init__(self) -> None:
        self.statements: list[_Statement] = []
        self.labels: dict[str, int] = {}
        self.numbered: dict[str, list[int]] = {}  # numeric labels, each in order
        self.shown: set[str] = set()  # .globl
        self.sizes: dict[str, int] = {}
        self.data: dict[int, bytes] = {}
        self.offset = 0

    def line(self, number_: int, text: str) -> None:
        for part in text.split(";"):
            at = 0
            while match := _LABEL.match(part, at):
                self._label(match[1])
                at = match.end()
            if rest := part[at:].strip():
                self._statement(number_, rest)

    def _label(self, name: str) -> None:
        if name.isdigit():
            self.numbered.setdefault(name, []).append(self.offset)
        elif name in self.labels:
            raise AssemblyError(f"{name}: defined twice")
        else:
            self.labels[name] = self.offset

    def _statement(self, line: int, text: str) -> None:
        name, _, rest = text.partition(" ")
        if "\t" in name:
            name, _, rest = text.partition("\t")
        name, rest = name.lower(), rest.strip()
        if not name.startswith("."):
            if not text.isascii():  # letters and digits of other scripts are none here
                raise AssemblyError(f"{text}: not ASCII")
            self.statements.append(_Statement(line, self.offset, name, split(rest)))
            self._advance(4)
        elif name in (".globl", ".global"):
            self.shown.update(part.strip() for part in rest.split(","))
        elif name == ".size":
            symbol, _, value = rest.partition(",")
            if re.sub(r"\s", "", value) == f".-{symbol.strip()}":
                self.sizes[symbol.strip()] = self.offset
        elif name in _DATA:
            for item in split(rest):
                self._emit(item, _DATA[name])
        elif name in (".align", ".p2align", ".balign"):
            self._align(name, rest.partition(",")[0].strip())
        elif not _IGNORED.match(name):
            raise AssemblyError(f"{name}: not a directive that this assembler knows")

    def _emit(self, text: str, size: int) -> None:
        value = number(text)
        if value is None or not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
            raise AssemblyError(f"{text}: a number of {8 * size} bits is wanted")
        self.data[self.offset] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        self._advance(size)

    def _advance(self, size: int) -> None:
        self.offset += size
        if self.offset > LARGEST:
            raise AssemblyError(f"more than {LARGEST >> 20} MiB of code")

    def _align(self, name: str, text: str) -> None:
        value = number(text)
        powers = {1 << power if name == ".balign" else power: 1 << power for power in range(13)}
        if value is None or value not in powers:
            raise AssemblyError(
                f"{name} {text}: no alignment; one of {', '.join(map(str, powers))}"
            )
        while self.offset % powers[value]:
            self.data[self.offset] = (0xD503201F).to_bytes(4, "little")
            self._advance(4)

    def resolve(self, label: str, here: int) -> int:
        """Offset of a label from a statement. Raises AssemblyError."""
        match = re.fullmatch(r"(\d+)([bf])", label)
        if match:
            places = self.numbered.get(match[1], [])
            behind = bisect_right(places, here)  # the first of them
            wanted = behind - 1 if match[2] == "b" else behind
            if 0 <= wanted < len(places):
                return places[wanted] - here
        elif label in self.labels:
            return self.labels[label] - here
        elif re.fullmatch(r"\.([+-][0-9]\w*)?", label):
            return number(label[1:]) or 0
        raise AssemblyError(f"{label}: no such label")


def _without_comments(text: str) -> str:
    """Comments blanked, lines kept; one that does not end stays, as no statement begins with /*."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0]) if match[1] else match[0]

    return re.sub(r"//.*", "", re.sub(r"/\*.*?(\*/|\Z)", blank, text, flags=re.S))


def assemble(text: str, name: str, symbol: str | None = None) -> Image:
    """The image of a source text; its entry is ``symbol``, or the only label that is .globl or
    begins a line. Raises ImageError (no such symbol) and AssemblyError."""
    program = _Program()
    line = 0
    try:
        for line, part in enumerate(_without_comments(text).split("\n"), 1):
            if part.lstrip().startswith("#"):
                if not re.match(r"\s*#\s*(\d|$)", part):
                    raise AssemblyError("the C preprocessor is not part of this assembler")
                continue
            program.line(line, part)
        code = bytearray(program.offset)
        for at, content in program.data.items():
            code[at : at + len(content)] = content
        for one in program.statements:
            line = one.line
            resolve = partial(program.resolve, here=one.offset)
            word = encode(one.mnemonic, one.operands, resolve)
            code[one.offset : one.offset + 4] = word.to_bytes(4, "little")
    except AssemblyError as error:
        raise AssemblyError(f"{name}:{line}: {shown(str(error))}") from None
    if not code:
        raise ImageError(f"{name}: no instructions")
    return _image(program, bytes(code), name, symbol)


def _image(program: _Program, code: bytes, name: str, symbol: str | None) -> Image:
    named = {label: at for label, at in program.labels.items() if not label.startswith(".L")}
    if symbol is None:
        shown = [label for label in named if label in program.shown]
        entries = shown or list(named)[:1]
        if len(entries) > 1:
            raise ImageError(f"{name}: name a symbol, {name}:SYMBOL; it has {', '.join(entries)}")
        entry = named[entries[0]] if entries else 0
        chosen = entries[0] if entries else None
    elif symbol in named:
        entry, chosen = named[symbol], symbol
    else:
        raise ImageError(f"{name}: no symbol {symbol}; it has {', '.join(named) or 'none'}")
    later = [at for label, at in named.items() if label in program.shown and at > entry]
    end = program.sizes.get(chosen or "", min(later, default=len(code)))
    source = name if symbol is None else f"{name}:{symbol}"
    symbols = {label: BASE + at for label, at in named.items()} or {"sequence": BASE}
    lines = {BASE + one.offset: f"{name}:{one.line}" for one in program.statements}
    return Image(code, symbols, source, BASE + entry, BASE + end, line=lines.get)
