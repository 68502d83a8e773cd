# SPDX-License-Identifier: MIT
"""The bytes of a file as they are once it is loaded: what a static and a dynamic linker do, as far
as one file tells. What it does not tell is left marked, so that nobody takes it for a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from atomics.emulator.elf.kinds import COPY, IN_GOT, IRELATIVE, RELATIVE, Got, Unresolved, patched
from atomics.emulator.elf.layout import Layout, outside, refuse_what_is_taken
from atomics.emulator.elf.relocations import Relocation, relocations
from atomics.emulator.elf.symbols import ABSOLUTE, Symbol
from atomics.emulator.image import ImageError
from atomics.emulator.printable import printable
from atomics.emulator.spans import Span, Spans

_TABLE = "_GLOBAL_OFFSET_TABLE_"
_CHOSEN = "the function is chosen when the program starts (ifunc)"


class Loaded(NamedTuple):
    code: bytes
    outside: Spans  #: where symbols of other files would be
    unresolved: Spans  #: what could not be relocated, and why


def loaded(
    sections: list[Any], layout: Layout, table: Callable[[int], list[Symbol]], label: str
) -> Loaded:
    """Raises ImageError. ``table``: the symbols of the section of that index."""
    code = _content(sections, layout)
    found = list(relocations(sections, layout, table, code, label))
    got = Got(layout.base + len(code))
    behind = got.start + 8 * sum(one.kind in IN_GOT for one in found)
    names = {one.symbol.name for one in found if one.symbol and one.symbol.elsewhere}
    missing = outside(sorted(names - {_TABLE}), behind)
    refuse_what_is_taken(layout.base, max([behind, *(x.end for x in missing.values())]), label)
    unresolved = []
    for one in found:
        at = one.at - layout.base
        try:
            value = _value(one, layout, missing, got)
            new = patched(one.kind, value, one.at, bytes(code[at : at + 8]), got)
        except Unresolved as reason:
            name = f" of {printable(one.symbol.name)}" if one.symbol else ""
            text = f"relocation {one.kind}{name}: {reason}"
            unresolved.append(Span(one.at, one.at + one.size, text))
            continue
        if not 0 <= at <= len(code) - len(new):
            raise ImageError(f"{label}: relocations outside of its sections")
        code[at : at + len(new)] = new
    return Loaded(
        bytes(code) + got.content,
        Spans(one._replace(label=printable(one.label)) for one in missing.values()),
        Spans(unresolved),
    )


def _content(sections: list[Any], layout: Layout) -> bytearray:
    code = bytearray(layout.limit - layout.base)
    for index, address in layout.places.items():
        section, at = sections[index], address - layout.base
        if section["sh_type"] != "SHT_NOBITS":
            content = section.data()
            code[at : at + len(content)] = content
    code.extend(bytes(-len(code) % 8))
    return code


def _value(one: Relocation, layout: Layout, missing: dict[str, Span], got: Got) -> int:
    """S + A. Raises Unresolved."""
    if one.addend is None:
        raise Unresolved("it has no addend")
    if one.kind == IRELATIVE:
        raise Unresolved(_CHOSEN)
    if one.kind == COPY:
        raise Unresolved("it is copied from another file")
    if one.kind == RELATIVE:
        return layout.bias + one.addend
    return one.addend + (_address(one.symbol, layout, missing, got) if one.symbol else 0)


def _address(one: Symbol, layout: Layout, missing: dict[str, Span], got: Got) -> int:
    if one.thread_local:
        raise Unresolved("it is thread-local")
    if one.chosen_at_start:
        raise Unresolved(_CHOSEN)
    if one.name == _TABLE and one.elsewhere:
        return got.start
    if one.elsewhere:
        room = missing[one.name]
        return (room.start + room.end) // 2 & -16
    if one.common:
        return layout.commons[one.name]
    if one.section == ABSOLUTE:
        return one.value
    if one.section not in layout.places:
        raise Unresolved("it is in no section that is loaded")
    return layout.address(one)
