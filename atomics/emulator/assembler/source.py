# SPDX-License-Identifier: MIT
"""Assembly source to an image: statements, labels and the directives that hand-written code has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from atomics.emulator.assembler.encode import encode
from atomics.emulator.assembler.operands import AssemblyError, number, split
from atomics.emulator.image import BASE, Image, ImageError

#: directives without an effect on the words
_IGNORED = re.compile(
    r"\.(text|arch|arch_extension|cpu|type|hidden|weak|local|file|ident|loc|cfi_\w+|section|"
    r"previous|func|endfunc|title|extern|att_syntax|variant_pcs|protected|internal)$"
)
_DATA = {
    ".inst": 4, ".word": 4, ".4byte": 4, ".long": 4, ".int": 4,
    ".xword": 8, ".8byte": 8, ".quad": 8, ".dword": 8,
}  # fmt: skip


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
        self.numbered: list[tuple[str, int]] = []  # numeric labels, in order
        self.shown: set[str] = set()  # .globl
        self.sizes: dict[str, int] = {}
        self.data: dict[int, bytes] = {}
        self.offset = 0

    def line(self, number_: int, text: str) -> None:
        for part in text.split(";"):
            rest = part.strip()
            while match := re.match(r"([A-Za-z_.$][\w.$]*|\d+):", rest):
                self._label(match[1])
                rest = rest[match.end() :].strip()
            if rest:
                self._statement(number_, rest)

    def _label(self, name: str) -> None:
        if name.isdigit():
            self.numbered.append((name, self.offset))
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
            self.statements.append(_Statement(line, self.offset, name, split(rest)))
            self.offset += 4
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
            self._align(name, rest)
        elif not _IGNORED.match(name):
            raise AssemblyError(f"{name}: not a directive that this assembler knows")

    def _emit(self, text: str, size: int) -> None:
        value = number(text)
        if value is None:
            raise AssemblyError(f"{text}: a number is wanted")
        self.data[self.offset] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        self.offset += size

    def _align(self, name: str, text: str) -> None:
        value = number(split(text)[0]) if text else 2
        if value is None or not 0 <= value <= 4096:
            raise AssemblyError(f"{name} {text}: no alignment")
        to = value if name == ".balign" else 1 << min(value, 12)
        while self.offset % max(to, 1):
            self.data[self.offset] = (0xD503201F).to_bytes(4, "little")
            self.offset += 4

    def resolve(self, label: str, here: int) -> int:
        """Offset of a label from a statement. Raises AssemblyError."""
        match = re.fullmatch(r"(\d+)([bf])", label)
        if match:
            places = [at for name, at in self.numbered if name == match[1]]
            if match[2] == "b":
                places = [at for at in places if at <= here][-1:]
            else:
                places = [at for at in places if at > here][:1]
            if places:
                return places[0] - here
        elif label in self.labels:
            return self.labels[label] - here
        elif re.fullmatch(r"\.[+-]\d+|\.", label):
            return int(label[1:] or 0)
        raise AssemblyError(f"{label}: no such label")


def _without_comments(text: str) -> str:
    """Comments blanked, lines kept."""
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    return re.sub(r"//.*", "", text)


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
        raise AssemblyError(f"{name}:{line}: {error}") from None
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
    return Image(code, symbols, source, BASE + entry, BASE + end)
