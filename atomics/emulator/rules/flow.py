# SPDX-License-Identifier: MIT
"""Which words of a sequence can be reached: the others may be data, such as a pool of literals."""

from __future__ import annotations

from atomics.emulator.arm64 import decode
from atomics.emulator.arm64.branch import onwards
from atomics.emulator.image import Image


def reached(image: Image, known: set[int]) -> list[int]:
    """Addresses of instructions that follow from the entry and from those that are ``known`` to be
    executed (where indirect branches lead), within the sequence, in order."""
    found: set[int] = set()
    todo = [image.entry, *known]
    while todo:
        address = todo.pop()
        word = image.word(address)
        inside = image.entry <= address < (image.end or image.limit)
        if address in found or word is None or not inside:
            continue
        found.add(address)
        if decode(word, address).traps is None:
            todo += onwards(word, address)
    return sorted(found)
