# SPDX-License-Identifier: MIT
"""Who calls what with which values: the situations in which sequences of their kind go wrong.

Values are asymmetric, so that swapped halves show; expected pairs are also mixtures of two pairs
that were there, so that a torn compare that succeeds shows; top bits are set where signs matter.
An operation that returns nothing needs somebody who looks, and a load somebody who writes: those
are *peers*, two sequences of ours whose only access is one atomic instruction of 16 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from atomics.emulator.calls import BINDINGS, Binding, Call
from atomics.emulator.image import BESIDE, Image
from atomics.emulator.model import Model
from atomics.emulator.properties import Property
from atomics.emulator.specification import MASK64, SPECIFICATIONS, Pair, Specification
from atomics.emulator.world import World, with_lots

Arguments = tuple[tuple[str, Any], ...]

FIRST: Pair = (10, 20)
FAR: Pair = (99, 98)
TOP = 1 << 63
UPPER = 1 << 32  #: two values that differ by it are one to code that looks at 32 bits


@dataclass(frozen=True)
class Scenario:
    """``calls[cpu]`` are (operation, arguments); the operation is "" for the one under check, or
    "peer_load" or "peer_store". ``undisturbed``: no store-exclusive fails without a reason, and a
    weak operation may not either. ``seeds``: per CPU what its random numbers come from, if it has
    any; the same for all by default."""

    name: str
    initial: Pair
    calls: tuple[tuple[tuple[str, Arguments], ...], ...]
    undisturbed: bool = False
    seeds: tuple[int, ...] = ()


#: casp x4, x5, x4, x5, [x0]; mov x0, x4; mov x1, x5; ret, and swpp x1, x2, [x0]; ret
PEERS = {
    "peer_load": (0x48247C04, 0xAA0403E0, 0xAA0503E1, 0xD65F03C0),
    "peer_store": (0x19228001, 0xD65F03C0),
}


def with_peers(image: Image) -> Image:
    """The image with the peers at their own addresses."""
    code, symbols = bytearray(), dict(image.symbols)
    for name, words in PEERS.items():
        symbols[name] = BESIDE + len(code)
        code.extend(b"".join(word.to_bytes(4, "little") for word in words))
    return replace(image, symbols=symbols, peers=bytes(code))


def _mine(**arguments: Any) -> tuple[str, Arguments]:
    return "", tuple(arguments.items())


def _reads() -> tuple[str, Arguments]:
    return "peer_load", ()


def _writes(pair: Pair) -> tuple[str, Arguments]:
    return "peer_store", (("desired", pair),)


#: a loader that reads twice and compares sees the same mixture twice
_TO_AND_FRO = (_writes((11, 21)), _writes(FIRST)) * 2


def _moved(pair: Pair, by: int) -> Pair:
    return pair[0] + by, pair[1] + by


def _cas(cpus: int, calls: int) -> list[Scenario]:
    """Compare-and-swap: all hit, a chain, a miss, a half that differs, a mixture, A-B-A, beside a
    writer who comes back to the same pair; and alone, where even a weak one succeeds."""

    def cas(expected: Pair, desired: Pair) -> tuple[str, Arguments]:
        return _mine(expected=expected, desired=desired)

    later = _moved(FIRST, 1)
    contend = tuple(
        tuple(cas(_moved(FIRST, n * cpus), _moved(FIRST, n * cpus + cpu + 1)) for n in range(calls))
        for cpu in range(cpus)
    )
    chain = tuple(
        tuple(cas(_moved(FIRST, cpu + n), _moved(FIRST, cpu + n + 1)) for n in range(calls))
        for cpu in range(cpus)
    )
    made = [Scenario("contend", FIRST, contend), Scenario("chain", FIRST, chain)]
    wide = later[0] + UPPER, later[1] + UPPER
    others: dict[str, tuple[Pair, Pair, Pair]] = {  # what CPU 0 leaves, what the others expect
        "miss": (later, FAR, (97, 96)),
        "low differs": (later, (99, 20), (97, 96)),
        "high differs": (later, (10, 98), (97, 96)),
        "mixture": (later, (11, 20), (7, 8)),
        "other mixture": (later, (10, 21), (7, 8)),
        "upper low differs": (wide, (10 + UPPER, 20), (97, 96)),
        "upper high differs": (wide, (10, 20 + UPPER), (97, 96)),
        "desired there": (later, FAR, FIRST),
    }
    for name, (left, expected, desired) in others.items():
        rest = ((cas(expected, desired),) * calls,) * (cpus - 1)
        made.append(Scenario(name, FIRST, ((cas(FIRST, left),) * calls, *rest)))
    back = (cas(FIRST, later), cas(later, FIRST))
    made.append(Scenario("A-B-A", FIRST, (back, *((cas(FIRST, FAR),),) * (cpus - 1))))
    if cpus > 1:
        misses = ((cas(FAR, (97, 96)),) * calls,) * (cpus - 1)
        made.append(Scenario("beside a writer", FIRST, (*misses, _TO_AND_FRO)))
    made.append(Scenario("alone", FIRST, ((cas(FIRST, later),),), undisturbed=True))
    return made


def _loads(cpus: int, calls: int) -> list[Scenario]:
    """The last CPU writes, other pairs or the same two in turn; the others load."""
    readers = ((_mine(),) * calls,) * max(cpus - 1, 1)
    if cpus == 1:
        return [Scenario("alone", FIRST, readers)]
    wide = (11 + UPPER, 21 + UPPER)
    return [
        Scenario("beside a writer", FIRST, (*readers, (_writes((11, 21)), _writes((12, 22))))),
        Scenario("A-B-A", FIRST, (*readers, _TO_AND_FRO)),
        Scenario("upper words", FIRST, (*readers, (_writes(wide),))),
    ]


def _stores(cpus: int, calls: int) -> list[Scenario]:
    """The last CPU looks, twice; the others store. And all store."""

    def store(cpu: int) -> tuple[tuple[str, Arguments], ...]:
        return tuple(_mine(desired=(11 + cpu + 10 * n, 31 + cpu + 10 * n)) for n in range(calls))

    stores = tuple(store(cpu) for cpu in range(cpus))
    made = [Scenario("contend", FIRST, stores)]
    if cpus > 1:
        made.insert(0, Scenario("beside a reader", FIRST, (*stores[:-1], (_reads(), _reads()))))
    wide = _mine(desired=(11 + UPPER, 31 + 2 * UPPER))
    return [*made, Scenario("upper words", FIRST, ((wide,), *stores[1:]))]


def _fetches(cpus: int, calls: int) -> list[Scenario]:
    """All change the pair; a carry; top bits; one changes it, others write it."""

    def mine(cpu: int, n: int) -> tuple[str, Arguments]:
        return _mine(operand=(3 + cpu + 8 * n, 5 + 2 * cpu + 16 * n))

    all_ = tuple(tuple(mine(cpu, n) for n in range(calls)) for cpu in range(cpus))
    signs = tuple(
        tuple(_mine(operand=(MASK64 - cpu, TOP + n if cpu % 2 else n + 1)) for n in range(calls))
        for cpu in range(cpus)
    )
    same = tuple(
        tuple(_mine(operand=(13 - 9 * (cpu % 2) + n, FIRST[1])) for n in range(calls))
        for cpu in range(cpus)
    )
    made = [
        Scenario("contend", FIRST, all_),
        Scenario("carry", (MASK64 - 1, 0x0F0F), all_),
        Scenario("top bits", (5, TOP | 5), signs),
        Scenario("upper words", (UPPER - 1, UPPER - 1), all_),
        Scenario("same hi", FIRST, same),
    ]
    if cpus > 1:
        for name, pair in (("", (MASK64, 40)), (" of lo", (99, 20)), (" of hi", (10, 98))):
            made.append(Scenario(f"beside a writer{name}", FIRST, (*all_[:-1], (_writes(pair),))))
        made.append(Scenario("beside a reader", FIRST, (*all_[:-1], (_reads(), _reads()))))
    return made


def _halves(cpus: int, calls: int) -> list[Scenario]:
    """Additions to one half, beside a writer of the whole pair."""
    adds = tuple(tuple(_mine(operand=3 + cpu + 8 * n) for n in range(calls)) for cpu in range(cpus))
    made = [
        Scenario("contend", FIRST, adds),
        Scenario("wrap", (MASK64, MASK64), adds),
        Scenario("upper words", (UPPER - 1, UPPER - 1), adds),
    ]
    if cpus > 1:
        made.append(Scenario("beside a writer", FIRST, (*adds[:-1], (_writes((40, 50)),))))
        made.append(Scenario("beside a reader", FIRST, (*adds[:-1], (_reads(), _reads()))))
    return made


TIP: Pair = (4096, 4040)


def _reservations(cpus: int, calls: int) -> list[Scenario]:
    """All at once; across a bound of 32 bits, where each draws random numbers of its own; and one
    comes again and so finds what it left, in itself and in the object."""

    def of(cpu: int, count: int) -> tuple[tuple[str, Arguments], ...]:
        return tuple(_mine(size=24 + 8 * cpu + 64 * n) for n in range(count))

    each = tuple(of(cpu, calls) for cpu in range(cpus))
    seeds = tuple(range(1, cpus + 1))
    return [
        Scenario("contend", TIP, each),
        Scenario("upper words", (UPPER - 8, UPPER - 64), each, seeds=seeds),
        Scenario("again", TIP, (of(0, calls + 1), *each[1:])),
    ]


_MAKERS: dict[str, Callable[[int, int], list[Scenario]]] = {
    "compare_exchange": _cas,
    "compare_exchange_weak": _cas,
    "compare_and_set": _cas,
    "compare_and_set_weak": _cas,
    "load": _loads,
    "load_lo": _loads,
    "load_hi": _loads,
    "store": _stores,
    "fetch_add_lo": _halves,
    "fetch_add_hi": _halves,
    "reserve": _reservations,
    "reserve_unlinked": _reservations,
}


def scenarios(specification: Specification, cpus: int, calls: int) -> list[Scenario]:
    """The situations in which an operation is judged by default."""
    return _MAKERS.get(specification.name, _fetches)(cpus, calls)


def unwritten(specification: Specification, cpus: int, calls: int) -> list[Scenario]:
    """Those that are left where nobody can write the object: without the peers who do."""
    made: dict[object, Scenario] = {}
    for one in scenarios(specification, cpus, calls):
        rows = tuple(row for row in one.calls if not any(name == "peer_store" for name, _ in row))
        name = one.name if rows == one.calls else "nobody writes"
        if rows:
            made.setdefault((one.initial, rows), replace(one, name=name, calls=rows))
    return list(made.values())


def calls_of(
    one: Scenario, image: Image, specification: Specification, binding: Binding
) -> list[list[Call]]:
    """The calls of a scenario on an image that has the peers."""

    judged = (one.undisturbed and specification.undisturbed) or specification

    def made(cpu: int, name: str, arguments: Arguments) -> Call:
        if not name:
            mine = binding.seeded(one.seeds[cpu]) if one.seeds else binding
            return Call(judged, mine, image.entry, arguments, specification.name)
        plain = name.removeprefix("peer_")
        return Call(SPECIFICATIONS[plain], BINDINGS[plain], image.symbols[name], arguments, name)

    return [[made(cpu, *call) for call in row] for cpu, row in enumerate(one.calls)]


def world_of(
    one: Scenario,
    image: Image,
    specification: Specification,
    binding: Binding,
    model: Model,
    memory: bytes,
    properties: list[Property],
) -> World:
    """The world of a scenario on an image that has the peers and on an object of those bytes."""
    here = replace(model, spurious=0) if one.undisturbed else model
    calls = calls_of(one, image, specification, binding)
    whole, lots = with_lots(memory, binding.lot and binding.lot[1], len(calls))
    return World(image, calls, whole, here, properties, one.name, lots)


def described(calls: Sequence[Sequence[Call]]) -> list[list[tuple[str, Arguments]]]:
    """(name, arguments) of each call of each CPU."""
    return [[(call.name, call.arguments) for call in row] for row in calls]
