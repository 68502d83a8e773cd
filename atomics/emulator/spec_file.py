# SPDX-License-Identifier: MIT
"""A specification file: any calling convention, values and object, in TOML."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atomics.emulator.calls import BINDINGS, Binding
from atomics.emulator.places import Place, PlaceError, parse, register
from atomics.emulator.rules import ORDERS
from atomics.emulator.scenario import Scenario
from atomics.emulator.specification import SPECIFICATIONS, Specification

_KEYS = {
    "operation", "order", "object", "arguments", "results", "success", "returns", "preserves",
    "memory", "cpu",
}  # fmt: skip
MAX_BYTES = 4096


class SpecificationError(ValueError):
    """A specification that cannot be used: one line that names key, value and what is right."""


@dataclass
class SpecFile:
    """What to check, how it is called, on what; ``situations`` None: the default scenarios."""

    specification: Specification
    binding: Binding
    object_bytes: int = 16
    initial: tuple[int, int] | None = None
    situations: list[Scenario] | None = None
    order: str | None = None  #: that it claims


def find(text: str) -> SpecFile:
    """The specification of that name, or in that file. Raises SpecificationError."""
    if text in SPECIFICATIONS:
        return SpecFile(SPECIFICATIONS[text], BINDINGS[text])
    path = Path(text)
    if path.suffix != ".toml" and not path.exists():
        raise SpecificationError(
            f"spec {text}: no such operation, and no file; one of {', '.join(SPECIFICATIONS)}"
        )
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecificationError(f"spec {text}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecificationError(f"spec {text}: not TOML ({error})") from None
    try:
        return _read(data)
    except (SpecificationError, PlaceError) as error:
        raise SpecificationError(f"spec {text}: {error}") from None


def _read(data: dict[str, Any]) -> SpecFile:
    for key in data:
        if key not in _KEYS:
            raise SpecificationError(f"{key}: no such key; one of {', '.join(sorted(_KEYS))}")
    name = data.get("operation")
    specification = SPECIFICATIONS.get(name) if isinstance(name, str) else None
    if specification is None:
        raise SpecificationError(
            f"operation = {name!r}: no such operation; one of {', '.join(SPECIFICATIONS)}"
        )
    plain = BINDINGS[specification.name]
    returns = _one_of(data, "returns", ("ret", "end"))
    binding = Binding(
        object=_object(data.get("object", "x0")),
        arguments=_places(data, "arguments", specification.arguments, plain.arguments, True),
        results=_places(data, "results", specification.results, plain.results, False),
        success=_one_of(data, "success", ("nonzero", "zero")),
        returns=returns,
        preserves=_boolean(data, "preserves", returns == "ret"),
        blocks=() if "arguments" in data else plain.blocks,
    )
    size, initial = _memory(data.get("memory", {}))
    made = SpecFile(specification, binding, size, initial)
    if "order" in data:
        made.order = _one_of(data, "order", ORDERS)
    if "cpu" in data:
        calls = tuple(_calls(row, specification) for row in _rows(data["cpu"]))
        made.situations = [Scenario("as given", initial or (10, 20), calls)]
    return made


def _object(text: object) -> str:
    if not isinstance(text, str):
        raise SpecificationError(f'object = {text!r}: the register with its address, such as "x0"')
    register(text)
    return text


def _one_of(data: dict[str, Any], key: str, values: tuple[str, ...]) -> str:
    value = data.get(key, values[0])
    if value not in values:
        raise SpecificationError(f"{key} = {value!r}: one of {', '.join(values)}")
    return str(value)


def _boolean(data: dict[str, Any], key: str, default: bool) -> bool:
    value = data.get(key, default)
    if not isinstance(value, bool):
        raise SpecificationError(f"{key} = {value!r}: true or false")
    return value


def _places(
    data: dict[str, Any],
    key: str,
    names: tuple[str, ...],
    default: tuple[tuple[str, Place], ...],
    every: bool,
) -> tuple[tuple[str, Place], ...]:
    given = data.get(key)
    if given is None:
        return default
    if not isinstance(given, dict):
        raise SpecificationError(f"{key} = {given!r}: a table of name = place")
    for name, place in given.items():
        if name not in names:
            raise SpecificationError(
                f"{key}.{name}: not one of this operation's: {', '.join(names) or 'it has none'}"
            )
        if not isinstance(place, str):
            raise SpecificationError(f'{key}.{name} = {place!r}: a place, such as "x2:x3"')
    missing = [name for name in names if name not in given]
    if every and missing:
        raise SpecificationError(f"{key}: {missing[0]} is missing")
    return tuple((name, parse(given[name])) for name in names if name in given)


def _memory(given: object) -> tuple[int, tuple[int, int] | None]:
    if not isinstance(given, dict) or not given.keys() <= {"bytes", "initial"}:
        raise SpecificationError(f"memory = {given!r}: a table with bytes and initial")
    size = given.get("bytes", 16)
    if not isinstance(size, int) or not 16 <= size <= MAX_BYTES or size % 16:
        raise SpecificationError(f"memory.bytes = {size!r}: a multiple of 16 up to {MAX_BYTES}")
    return size, _pair("memory.initial", given["initial"]) if "initial" in given else None


def _rows(given: object) -> list[dict[str, Any]]:
    if not isinstance(given, list) or not 1 <= len(given) <= 8:
        raise SpecificationError("cpu: 1 to 8 tables [[cpu]]")
    return given


def _calls(row: dict[str, Any], specification: Specification) -> Any:
    calls = row.get("calls")
    if not isinstance(calls, list) or not calls or row.keys() != {"calls"}:
        raise SpecificationError("cpu: calls = [{...}, ...] and nothing else")
    made = []
    for call in calls:
        if not isinstance(call, dict):
            raise SpecificationError(f"cpu.calls: {call!r} is no table of arguments")
        name = call.get("peer")
        if name is not None:
            made.append(_peer(call))
            continue
        if set(call) != set(specification.arguments):
            wanted = ", ".join(specification.arguments) or "no arguments"
            raise SpecificationError(f"cpu.calls: {call!r}; {specification.name} takes {wanted}")
        made.append(("", tuple((key, _value(key, call[key])) for key in specification.arguments)))
    return tuple(made)


def _peer(call: dict[str, Any]) -> tuple[str, tuple[tuple[str, Any], ...]]:
    if call == {"peer": "load"}:
        return "peer_load", ()
    if call.get("peer") == "store" and call.keys() == {"peer", "desired"}:
        return "peer_store", (("desired", _pair("desired", call["desired"])),)
    raise SpecificationError(
        f'cpu.calls: {call!r}; a peer is {{ peer = "load" }} or '
        '{ peer = "store", desired = [LO, HI] }'
    )


def _value(key: str, value: object) -> int | tuple[int, int]:
    if isinstance(value, int) and not isinstance(value, bool) and key in ("size", "operand"):
        return _word(key, value)
    return _pair(key, value)


def _pair(key: str, value: object) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise SpecificationError(f"{key} = {value!r}: a pair [LO, HI]")
    return _word(key, value[0]), _word(key, value[1])


def _word(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 64:
        raise SpecificationError(f"{key} = {value!r}: 0 to 2**64 - 1")
    return value
