# SPDX-License-Identifier: MIT
"""What is checked, together: the calls of each CPU, the object they share, the properties."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from atomics.emulator.calls import Block, Call
from atomics.emulator.image import Image
from atomics.emulator.model import Model
from atomics.emulator.properties import Property
from atomics.emulator.specification import Pair

#: Address of the object, where its first granule begins. No address of data fits 32 bits, none is
#: rounder than it must be: code that cuts or rounds a pointer goes astray.
OBJECT = 0x51_1000_0810


def object_of(pair: Pair, size: int) -> bytes:
    """The bytes of an object that begins with a pair, zeros behind it; ``size`` 16 or more."""
    return (pair[1] << 64 | pair[0]).to_bytes(16, "little") + bytes(size - 16)


class Lot(NamedTuple):
    """Where in the object a CPU's block is: offsets of where it begins and where its shared bytes
    do. From ``apart`` to there no other CPU may reach."""

    apart: int
    begin: int
    shared: int


GAP = 16  #: nobody's bytes between the object and the first lot


def with_lots(memory: bytes, block: Block | None, cpus: int) -> tuple[bytes, tuple[Lot, ...]]:
    """The object with a block for each CPU behind it, if there is such a block."""
    if block is None or block.shared is None:
        return memory, ()
    first, (shared, end) = len(memory) + GAP, block.shared
    lots = [Lot(at, at, at + shared) for at in range(first, first + cpus * end, end)]
    lots[0] = lots[0]._replace(apart=len(memory))
    return memory + bytes(GAP + cpus * end), tuple(lots)


@dataclass
class World:
    """One scenario on one image: ``calls[cpu]`` are made in that order by that CPU on ``memory``,
    the object's bytes, at least 16, with the lots of the CPUs, if their calls have such."""

    image: Image
    calls: list[list[Call]]
    memory: bytes
    model: Model = field(default_factory=Model)
    properties: list[Property] = field(default_factory=list)
    name: str = ""
    lots: tuple[Lot, ...] = ()
