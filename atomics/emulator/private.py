# SPDX-License-Identifier: MIT
"""What one CPU alone may touch: its stack, the blocks its arguments point to, and, read-only, the
image. Every other address is a stray access."""

from __future__ import annotations

from atomics.emulator.arm64 import Access, Kind
from atomics.emulator.arm64.registers import SP
from atomics.emulator.calls import NOWHERE, Binding, Block
from atomics.emulator.fault import Fault, Undecided
from atomics.emulator.image import Image
from atomics.emulator.places import Place

STACKS = 0x62_2000_0000  #: CPU n's stack ends, and its blocks begin, at STACKS + (n + 1) * SPACING
SPACING = 0x10_0000
STACK_BYTES = 0x1_0000
BLOCK_BYTES = 0x1000  #: that an argument may point to
SPOT_BYTES, SPOT = 0x2000, 0x210  #: one per register; its block begins a little behind
CALLER_BYTES = 256  #: above SP: what the caller passes on the stack
LEFT = 0xA5A5_0000_0000_0005  #: and the address: what every other word holds that nobody wrote


#: (address, word) of each word, (address, bits, value) of each input
Key = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int, int], ...]]


class PrivateMemory:
    """Sparse: 8-byte words that were written or given. Others hold what was left there.

    The CPUs have different addresses, so that a pointer to one CPU's stack that reaches another is
    a stray access there."""

    __slots__ = (
        "_binding",
        "_fixed",
        "_image",
        "_inputs",
        "_lot",
        "_lots",
        "_words",
        "blocks",
        "parity",
        "stack",
    )

    def __init__(
        self, image: Image, lots: tuple[int, ...] = (), cpu: int = 0, binding: Binding = NOWHERE
    ) -> None:
        self._image, self._binding, self._lots = image, binding, lots
        self._lot = lots[cpu] if lots else 0
        self.parity = cpu & 1
        self._words: dict[int, int] = {}
        self._inputs: tuple[tuple[int, int, int], ...] = ()  # address, bits, value
        self.blocks = STACKS + (cpu + 1) * SPACING
        self.stack = self.blocks - CALLER_BYTES
        self._fixed = frozenset(
            self._block_of(register) + 8 * word
            for register, block in binding.blocks
            for word in block.fixed
        )

    def fresh(self, cpu: int, binding: Binding = NOWHERE) -> PrivateMemory:
        """Empty, for the first call of a CPU that is bound so."""
        return PrivateMemory(self._image, self._lots, cpu, binding)

    def following(self, cpu: int, before: Binding, binding: Binding) -> PrivateMemory:
        """For the call after this one: what is the CPU's own in the object is still there."""
        made = self.fresh(cpu, binding)
        if before.lot is not None:
            own = range(self._lot, self._lot + 8 * len(before.lot[1].words))
            made._words = {at: word for at, word in self._words.items() if at in own}
        return made

    def key(self) -> Key:
        """All of it as a hashable value."""
        return tuple(sorted(self._words.items())), self._inputs

    def restored(self, cpu: int, key: Key, binding: Binding) -> PrivateMemory:
        """What ``key`` described."""
        made = PrivateMemory(self._image, self._lots, cpu, binding)
        made._words = dict(key[0])
        made._inputs = key[1]
        return made

    def _block_of(self, register: int) -> int:
        if self._binding.lot is not None and self._binding.lot[0] == register:
            return self._lot
        return self.stack if register == SP else self.blocks + register * SPOT_BYTES + SPOT

    def block(self, register: int, block: Block) -> int:
        """Place a block for a register, if it is not there from the call before; its address."""
        address = self._block_of(register)
        pointers = dict(block.pointers)
        for index, word in enumerate(block.words):
            first = address + pointers[index] if index in pointers else word
            self._words.setdefault(address + 8 * index, first)
        return address

    def input(self, place: Place, value: int) -> int:
        """Put an argument behind a pointer; the pointer."""
        address = self._block_of(place.registers[0])
        self._put(address + place.offset, place.bits // 8, value)
        if place.registers[0] != SP:  # what is passed on the stack is the callee's to change
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
            word = first + 8 * at
            whole |= self._words.get(word, self._left(word)) << 64 * at
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
            if first + 8 * at not in self._fixed:
                self._words[first + 8 * at] = whole >> 64 * at & (1 << 64) - 1

    def _left(self, address: int) -> int:
        """What was there before: something or nothing, and the other way round on the next CPU."""
        return 0 if (address >> 3 ^ self.parity) & 1 else LEFT | address

    def _inside(self, asked: Access) -> bool:
        first, last = asked.address, asked.address + asked.size
        if self.blocks - STACK_BYTES <= first and last <= self.stack:
            return True
        return any(
            self._block_of(register) + begin <= first and last <= self._block_of(register) + end
            for register, begin, end in self._binding.memory
        )

    def own_stack(self, asked: Access, sp: int, place: str, pc: int) -> None:
        """AAPCS64, 6.4.5.1: below SP nothing may be relied on, as a signal handler runs there."""
        if self.blocks - STACK_BYTES <= asked.address < min(sp, self.blocks):
            below = sp - asked.address
            raise Fault(
                f"{place} reaches {below} bytes below SP, which is nobody's", "below-sp", pc
            )

    def load(self, asked: Access, place: str, pc: int) -> int:
        """The value at an address; 0 for a plain store. Raises Fault if it is not ours to touch."""
        writes = asked.kind is not Kind.READ
        if self._inside(asked):
            if asked.aligned and asked.address % asked.size:
                what = f"{asked.size} bytes at {asked.address:#x}"
                raise Fault(f"{place}: misaligned access, {what}", "alignment", pc)
            return self._get(asked.address, asked.size)
        image = self._image
        if image.base <= asked.address <= image.limit - asked.size:
            return self._of_image(asked, writes, place, pc)
        missing = image.outside.get(asked.address, asked.size)
        if missing == "__stack_chk_guard" and not writes:
            return LEFT  # any value; the code of a stack protector compares it with itself
        if missing is not None:
            verb = "writes" if writes else "reads"
            raise Undecided(f"{place}: {verb} {missing}, which is not in {image.source}")
        if self.stack <= asked.address < self.blocks:
            raise Fault(f"{place} reaches into the frame of its caller", "caller-frame", pc)
        verb = "writes to" if writes else "reads"
        raise Fault(
            f"{place}: {verb} {asked.size} bytes at {asked.address:#x}, "
            "outside the object and its own memory",
            "stray-access",
            pc,
        )

    def _of_image(self, asked: Access, writes: bool, place: str, pc: int) -> int:
        """What the file has there: constants. Its variables are constant while nobody writes them;
        from then on the CPUs would share more than the object, which is not modelled."""
        image = self._image
        if writes:
            variable = image.writable.place(asked.address, asked.size)
            if variable is not None:
                raise Undecided(f"{place}: writes {variable}, global data, which is not modelled")
            text = f"{place}: writes into the code, at {asked.address:#x}"
            raise Fault(text, "stray-access", pc)
        unresolved = image.unresolved.get(asked.address, asked.size)
        if unresolved is not None:
            raise Undecided(f"{place}: reads what loading fills in: {unresolved}")
        at = asked.address - image.base
        return int.from_bytes(image.code[at : at + asked.size], "little")

    def store(self, asked: Access, value: int) -> None:
        self._put(asked.address, asked.size, value)
