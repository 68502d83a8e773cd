# SPDX-License-Identifier: MIT
"""A specification file: any calling convention, values and object, in TOML."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atomics.emulator.arm64.registers import SP
from atomics.emulator.calls import BINDINGS, Binding
from atomics.emulator.places import Place, PlaceError, parse, register
from atomics.emulator.private import BLOCK_BYTES, CALLER_BYTES
from atomics.emulator.rules import ORDERS
from atomics.emulator.scenario import FIRST, Scenario
from atomics.emulator.specification import SPECIFICATIONS, Specification
from atomics.emulator.text_file import read_text

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
        data = tomllib.loads(read_text(path))
    except OSError as error:
        raise SpecificationError(f"spec {text}: {error.strerror or error}") from None
    except RecursionError:
        raise SpecificationError(f"spec {text}: not TOML (nested too deeply)") from None
    except ValueError as error:  # also of a number with thousands of digits
        reason = str(error).partition(";")[0]
        raise SpecificationError(f"spec {text}: not TOML ({reason})") from None
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
    _fits(specification.name, binding)
    size, initial = _memory(data.get("memory", {}))
    made = SpecFile(specification, binding, size)
    if "order" in data:
        made.order = _one_of(data, "order", ORDERS)
    if "cpu" in data:
        calls = tuple(_calls(row, specification) for row in _rows(data["cpu"]))
        if all(name for row in calls for name, _ in row):
            raise SpecificationError(f"cpu: no call of {specification.name}, the operation itself")
        made.situations = [Scenario("as given", initial or FIRST, calls)]
    elif initial is not None:
        raise SpecificationError(
            "memory.initial: needs [[cpu]]; the default scenarios bring pairs of their own"
        )
    if specification.loads and not binding.results:
        raise SpecificationError("results: value is missing; nothing else of a load can be judged")
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


def _fits(operation: str, binding: Binding) -> None:
    """Every value has room for all of it, and no two share a place, but for what is memory before
    and after the call. Raises SpecificationError."""
    plain = BINDINGS[operation]
    width = {name: place.width for name, place in (*plain.arguments, *plain.results)}
    given = [("object", parse(binding.object))]
    for name, place in binding.arguments:
        _one_fits(f"arguments.{name}", place, width[name])
        _is_free(f"arguments.{name}", place, given)
        given.append((f"arguments.{name}", place))
    values = [(name, place) for name, place in given if not place.pointer]
    left: list[tuple[str, Place]] = []
    for name, place in binding.results:
        _one_fits(f"results.{name}", place, 0 if name == "ok" else width[name])
        _is_free(f"results.{name}", place, [*left, *(values if place.pointer else [])])
        left.append((f"results.{name}", place))


def _is_free(key: str, place: Place, taken: list[tuple[str, Place]]) -> None:
    for other, there in taken:
        if place.overlaps(there):
            raise SpecificationError(f"{key}: its place is taken by {other}")


def _one_fits(key: str, place: Place, width: int) -> None:
    """``width`` in bits, 0: any of one register."""
    if place.pointer and place.end > (
        room := CALLER_BYTES if SP in place.registers else BLOCK_BYTES
    ):
        raise SpecificationError(f"{key}: its offset ends at {place.end}; at most {room}")
    if width == 0 and place.width > 64:
        raise SpecificationError(f"{key}: yes or no, and no pair; such as w0")
    if width and place.width != width:
        right = "a pair, such as x2:x3 or [x5]" if width == 128 else "64 bits, such as x2 or [x5].8"
        raise SpecificationError(f"{key}: {place.width} bits; {right}, is wanted")


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
    if not all(isinstance(row, dict) for row in given):
        raise SpecificationError(f"cpu = {given!r}: tables [[cpu]] are wanted")
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
        names = specification.arguments
        made.append(("", tuple((n, _value(specification.name, n, call[n])) for n in names)))
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


def _value(operation: str, key: str, value: object) -> int | tuple[int, int]:
    place = dict(BINDINGS[operation].arguments)[key]
    return _pair(key, value) if place.width == 128 else _word(key, value)


def _pair(key: str, value: object) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise SpecificationError(f"{key} = {value!r}: a pair [LO, HI]")
    return _word(key, value[0]), _word(key, value[1])


def _word(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 64:
        raise SpecificationError(f"{key} = {value!r}: 0 to 2**64 - 1")
    return value
