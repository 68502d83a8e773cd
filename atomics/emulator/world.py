# SPDX-License-Identifier: MIT
"""What is checked, together: the calls of each CPU, the object they share, the properties."""

from __future__ import annotations

from dataclasses import dataclass, field

from atomics.emulator.calls import Call
from atomics.emulator.image import Image
from atomics.emulator.model import Model
from atomics.emulator.properties import Property

OBJECT = 0x1000_0000  #: address of the object, aligned to the largest granule


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
