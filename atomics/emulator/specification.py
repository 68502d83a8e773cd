# SPDX-License-Identifier: MIT
"""What an operation does when nothing comes between: the other half of a verdict.

A specification says, for the pair as it is and the arguments of a call, which pairs and results
may follow. An execution is right (linearizable) if some order of the calls, in which no call comes
before one that had ended when it began, gives what each call returned. Source: Herlihy and Wing,
"Linearizability: a correctness condition for concurrent objects", TOPLAS 12(3), 1990.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Pair = tuple[int, int]
Values = Mapping[str, Any]  #: name -> int, bool or Pair
Outcome = tuple[Pair, dict[str, Any]]  #: the pair afterwards, the results

MASK64 = (1 << 64) - 1
MASK128 = (1 << 128) - 1


@dataclass(frozen=True)
class Specification:
    """One operation on a pair (lo, hi).

    ``apply(pair, arguments)`` yields every allowed (pair afterwards, results). ``arguments`` and
    ``results`` name them; a binding may leave results out (a CAS that only says yes or no).
    ``loads``: it never changes the pair. ``size``: bytes of it that it works on. ``undisturbed``:
    what it must do when nothing interferes and no store-exclusive fails; None: what ``apply`` says.
    """

    name: str
    arguments: tuple[str, ...]
    results: tuple[str, ...]
    apply: Callable[[Pair, Values], Iterable[Outcome]]
    loads: bool = False
    size: int = 16
    undisturbed: Specification | None = None


def number(pair: Pair) -> int:
    """The pair as one integer of 128 bits."""
    return pair[1] << 64 | pair[0]


def pair_of(value: int) -> Pair:
    """The pair of an integer, modulo 2**128."""
    return value & MASK64, value >> 64 & MASK64


def _signed(value: int) -> int:
    return value - (1 << 128) if value >> 127 else value


def _compare_exchange(pair: Pair, given: Values) -> Iterable[Outcome]:
    ok = pair == given["expected"]
    yield (given["desired"] if ok else pair), {"ok": ok, "observed": pair}


def _compare_exchange_weak(pair: Pair, given: Values) -> Iterable[Outcome]:
    yield from _compare_exchange(pair, given)
    yield pair, {"ok": False, "observed": pair}


def _load(pair: Pair, given: Values) -> Iterable[Outcome]:
    yield pair, {"value": pair}


def _store(pair: Pair, given: Values) -> Iterable[Outcome]:
    yield given["desired"], {}


def _fetch(combine: Callable[[Pair, Pair], Pair]) -> Callable[[Pair, Values], Iterable[Outcome]]:
    def apply(pair: Pair, given: Values) -> Iterable[Outcome]:
        yield combine(pair, given["operand"]), {"old": pair}

    return apply


def _lanes(combine: Callable[[int, int], int]) -> Callable[[Pair, Pair], Pair]:
    return lambda old, new: (combine(old[0], new[0]) & MASK64, combine(old[1], new[1]) & MASK64)


def _whole(combine: Callable[[int, int], int]) -> Callable[[Pair, Pair], Pair]:
    return lambda old, new: pair_of(combine(number(old), number(new)))


#: read-modify-writes that return the old pair: name -> the new one of (old, operand)
COMBINE: dict[str, Callable[[Pair, Pair], Pair]] = {
    "exchange": lambda old, new: new,
    "fetch_add": _whole(lambda a, b: a + b),
    "fetch_sub": _whole(lambda a, b: a - b),
    "fetch_add_lanes": _lanes(lambda a, b: a + b),
    "fetch_and": _whole(lambda a, b: a & b),
    "fetch_or": _whole(lambda a, b: a | b),
    "fetch_xor": _whole(lambda a, b: a ^ b),
    "fetch_nand": _whole(lambda a, b: ~(a & b)),
    "fetch_max": _whole(max),
    "fetch_min": _whole(min),
    "fetch_max_signed": _whole(lambda a, b: max(a, b, key=_signed)),
    "fetch_min_signed": _whole(lambda a, b: min(a, b, key=_signed)),
    "exchange_lo_add_hi": lambda old, new: (new[0], old[1] + new[1] & MASK64),
}


def _load_half(half: int) -> Callable[[Pair, Values], Iterable[Outcome]]:
    def apply(pair: Pair, given: Values) -> Iterable[Outcome]:
        yield pair, {"value": pair[half]}

    return apply


def _add_half(half: int) -> Callable[[Pair, Values], Iterable[Outcome]]:
    def apply(pair: Pair, given: Values) -> Iterable[Outcome]:
        total = pair[half] + given["operand"] & MASK64
        yield ((total, pair[1]) if half == 0 else (pair[0], total)), {"old": pair[half]}

    return apply


def _reserve(pair: Pair, given: Values) -> Iterable[Outcome]:
    tip, prev = pair
    end = tip + given["size"]
    yield (end, tip), {"start": tip, "end": end, "prev": prev}


def _reserve_unlinked(pair: Pair, given: Values) -> Iterable[Outcome]:
    tip, prev = pair
    end = tip + given["size"]
    yield (end, prev), {"start": tip, "end": end, "prev": 0}


def _cas(name: str, *results: str) -> list[Specification]:
    """A compare-and-swap and its weak form, which may fail, but not always."""
    arguments = "expected", "desired"
    strong = Specification(name, arguments, results, _compare_exchange)
    return [
        strong,
        Specification(
            f"{name}_weak", arguments, results, _compare_exchange_weak, undisturbed=strong
        ),
    ]


_RESERVED = "start", "end", "prev"
_ROWS = [
    *_cas("compare_exchange", "ok", "observed"),
    *_cas("compare_and_set", "ok"),
    Specification("load", (), ("value",), _load, loads=True),
    Specification("store", ("desired",), (), _store),
    *(Specification(name, ("operand",), ("old",), _fetch(c)) for name, c in COMBINE.items()),
    Specification("load_lo", (), ("value",), _load_half(0), loads=True, size=8),
    Specification("load_hi", (), ("value",), _load_half(1), loads=True, size=8),
    Specification("fetch_add_lo", ("operand",), ("old",), _add_half(0), size=8),
    Specification("fetch_add_hi", ("operand",), ("old",), _add_half(1), size=8),
    Specification("reserve", ("size",), _RESERVED, _reserve),
    Specification("reserve_unlinked", ("size",), _RESERVED, _reserve_unlinked, size=8),
]

#: every specification that the command knows, by name
SPECIFICATIONS: dict[str, Specification] = {row.name: row for row in _ROWS}
