# SPDX-License-Identifier: MIT
"""What one CPU alone may touch: its stack, the blocks its arguments point to, and, read-only, the
image. Every other address is a stray access."""

from __future__ import annotations

from atomics.emulator.arm64 import Access, Kind
from atomics.emulator.calls import Block
from atomics.emulator.fault import Fault
from atomics.emulator.image import BASE, Image
from atomics.emulator.places import Place

STACKS = 0x2000_0000  #: CPU n's stack ends, and its blocks begin, at STACKS + (n + 1) * SPACING
SPACING = 0x10_0000
STACK_BYTES = 0x1_0000
BLOCK_BYTES = 0x1000
BLOCKS = 32  #: one place per register


#: (address, word) of each word, (address, bits, value) of each input
Key = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int, int], ...]]


class PrivateMemory:
    """Sparse: 8-byte words that were written or given. Others read as zero.

    Bytes below SP are not kept apart from others, and the CPUs have different addresses, so that a
    pointer to one CPU's stack that reaches another is a stray access there."""

    __slots__ = ("_image", "_inputs", "_words", "blocks", "stack")

    def __init__(self, image: Image, cpu: int = 0) -> None:
        self._image = image
        self._words: dict[int, int] = {}
        self._inputs: tuple[tuple[int, int, int], ...] = ()  # address, bits, value
        self.blocks = STACKS + (cpu + 1) * SPACING
        self.stack = self.blocks - 256  # above it lies what the caller passed on the stack

    def fresh(self, cpu: int) -> PrivateMemory:
        """Empty, for a CPU."""
        return PrivateMemory(self._image, cpu)

    def key(self) -> Key:
        """All of it as a hashable value."""
        return tuple(sorted(self._words.items())), self._inputs

    def restored(self, cpu: int, key: Key) -> PrivateMemory:
        """What ``key`` described."""
        made = PrivateMemory(self._image, cpu)
        made._words = dict(key[0])
        made._inputs = key[1]
        return made

    def _block_of(self, register: int) -> int:
        return self.blocks + register % BLOCKS * BLOCK_BYTES

    def block(self, register: int, block: Block) -> int:
        """Place a block for a register; its address."""
        address = self._block_of(register)
        for index, word in enumerate(block.words):
            self._words[address + 8 * index] = word
        for index, offset in block.pointers:
            self._words[address + 8 * index] = address + offset
        return address

    def input(self, place: Place, value: int) -> int:
        """Put an argument behind a pointer; the pointer."""
        address = self._block_of(place.registers[0])
        self._put(address + place.offset, place.bits // 8, value)
        self._inputs += ((address + place.offset, place.bits, value),)
        return address

    def output(self, place: Place) -> int:
        """The pointer for a result. A block that is an argument too is in and out: may change."""
        address = self._block_of(place.registers[0])
        spot = address + place.offset
        self._inputs = tuple(one for one in self._inputs if one[0] != spot)
        return address

    def result(self, place: Place) -> int:
        return self._get(self._block_of(place.registers[0]) + place.offset, place.bits // 8)

    def changed_input(self) -> str | None:
        """Which input is no longer what was given, or None."""
        for address, bits, value in self._inputs:
            found = self._get(address, bits // 8)
            if found != value:
                return f"{found:#x} instead of {value:#x}"
        return None

    def _get(self, address: int, size: int) -> int:
        first = address & ~7
        shift = 8 * (address - first)
        whole, at = 0, 0
        while 8 * at < size + (address - first):
            whole |= self._words.get(first + 8 * at, 0) << 64 * at
            at += 1
        return whole >> shift & ((1 << 8 * size) - 1)

    def _put(self, address: int, size: int, value: int) -> None:
        first = address & ~7
        count = (address - first + size + 7) // 8
        whole = self._get(first, 8 * count)
        shift = 8 * (address - first)
        mask = ((1 << 8 * size) - 1) << shift
        whole = whole & ~mask | value << shift & mask
        for at in range(count):
            self._words[first + 8 * at] = whole >> 64 * at & (1 << 64) - 1

    def _inside(self, asked: Access) -> bool:
        low = self.blocks - STACK_BYTES
        return low <= asked.address <= self.blocks + BLOCKS * BLOCK_BYTES - asked.size

    def load(self, asked: Access, place: str) -> int:
        """The value at an address; 0 for a plain store. Raises Fault if it is not ours to touch."""
        writes = asked.kind is not Kind.READ
        if self._inside(asked):
            if asked.aligned and asked.address % asked.size:
                raise Fault(f"{place}: misaligned access, {asked.size} bytes at {asked.address:#x}")
            return self._get(asked.address, asked.size)
        if BASE <= asked.address <= self._image.limit - asked.size:
            if writes:
                raise Fault(f"{place}: writes into the code, at {asked.address:#x}")
            at = asked.address - BASE
            return int.from_bytes(self._image.code[at : at + asked.size], "little")
        verb = "writes to" if writes else "reads"
        raise Fault(
            f"{place}: {verb} {asked.size} bytes at {asked.address:#x}, "
            "outside the object and its own memory"
        )

    def store(self, asked: Access, value: int, place: str) -> None:
        self._put(asked.address, asked.size, value)
