# SPDX-License-Identifier: MIT
"""What is checked, together: the calls of each CPU, the object they share, the properties."""

from __future__ import annotations

from dataclasses import dataclass, field

from atomics.emulator.calls import Call
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


@dataclass
class World:
    """One scenario on one image: ``calls[cpu]`` are made in that order by that CPU on ``memory``,
    the object's bytes (16 to 4096 of them)."""

    image: Image
    calls: list[list[Call]]
    memory: bytes
    model: Model = field(default_factory=Model)
    properties: list[Property] = field(default_factory=list)
    name: str = ""
