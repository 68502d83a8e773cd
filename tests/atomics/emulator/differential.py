# SPDX-License-Identifier: MIT
"""Runs one instruction twice from the same random state: by our interpreter and by Unicorn."""

from __future__ import annotations

import random
from dataclasses import dataclass

import unicorn
from unicorn import arm64_const as const

from atomics.emulator.arm64 import Access, Instruction, Kind, MemoryOperation, Registers
from atomics.emulator.arm64.registers import MASK64, SP

CODE, DATA, BYTES = 0x40_0000, 0x80_0000, 0x2000
MIDDLE = DATA + BYTES // 2
X = [getattr(const, f"UC_ARM64_REG_X{n}") for n in range(31)] + [const.UC_ARM64_REG_SP]
EDGES = (0, 1, 2, 7, 63, 64, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 63, MASK64, MASK64 - 1)


@dataclass
class State:
    """x0 to x30, SP, flags and memory, before or after an instruction."""

    x: list[int]
    nzcv: int
    pc: int
    memory: bytes
    fault: bool = False


class Machine:
    """One Unicorn CPU, stepped with count=1 from its birth."""

    def __init__(self) -> None:
        self.uc = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        self.uc.ctl_set_cpu_model(const.UC_CPU_ARM64_MAX)
        self.uc.mem_map(CODE, 0x1000)
        self.uc.mem_map(DATA, BYTES)

    def run(self, words: list[int], before: State) -> State:
        uc = self.uc
        uc.mem_write(CODE, b"".join(word.to_bytes(4, "little") for word in words))
        uc.ctl_remove_cache(CODE, CODE + 64)
        uc.mem_write(DATA, before.memory)
        uc.reg_write_batch(list(zip(X, before.x, strict=True)))
        uc.reg_write(const.UC_ARM64_REG_NZCV, before.nzcv << 28)
        uc.reg_write(const.UC_ARM64_REG_PC, CODE)
        fault = False
        try:
            uc.emu_start(CODE, 0xDEAD_0000, count=len(words))
        except unicorn.UcError as error:
            fault = (
                error.errno != unicorn.UC_ERR_FETCH_UNMAPPED
            )  # a branch to nowhere has been taken
        x = list(uc.reg_read_batch(X))
        nzcv = uc.reg_read(const.UC_ARM64_REG_NZCV) >> 28 & 15
        pc = uc.reg_read(const.UC_ARM64_REG_PC)
        return State(x, nzcv, pc, bytes(uc.mem_read(DATA, BYTES)), fault)


class Interpreter:
    """Ours, with one flat memory and a monitor that no other CPU clears."""

    def __init__(self, before: State) -> None:
        self.c = Registers()
        self.c.r[:31], self.c.r[SP] = before.x[:31], before.x[31]
        self.c.nzcv, self.c.pc = before.nzcv, CODE
        self.memory = bytearray(before.memory)
        self.reserved = False

    def step(self, one: Instruction) -> bool:
        """False, and nothing changed, if it faults."""
        if one.memory is not None and not self._fits(one.memory.access(self.c)):
            return False
        self.c.pc += 4
        if one.run is not None:
            one.run(self.c)
        elif one.memory is not None:
            self._access(one.memory)
        return True

    def _fits(self, asked: Access) -> bool:
        at = asked.address - DATA
        return 0 <= at <= BYTES - asked.size and not (asked.aligned and at % asked.size)

    def _access(self, operation: MemoryOperation) -> None:
        asked = operation.access(self.c)
        at = asked.address - DATA
        old = int.from_bytes(self.memory[at : at + asked.size], "little")
        new: int | None = None
        answer = old
        if asked.kind is Kind.UPDATE:
            new = operation.update(self.c, old)
        elif asked.kind is Kind.WRITE:
            new = asked.value
        elif asked.kind is Kind.STORE_EXCLUSIVE:
            answer = int(self.reserved)
            new = asked.value if self.reserved else None
            self.reserved = False
        else:
            self.reserved |= asked.exclusive
        if new is not None:
            self.memory[at : at + asked.size] = new.to_bytes(asked.size, "little")
        operation.finish(self.c, answer)

    @property
    def state(self) -> State:
        c = self.c
        return State([*c.r[:31], c.r[SP]], c.nzcv, c.pc, bytes(self.memory))


NOISE = random.Random(128).randbytes(BYTES)


def state(random_: random.Random) -> State:
    """Registers that are edges, small, any, or addresses near the middle of the data."""

    def value() -> int:
        kind = random_.random()
        if kind < 0.35:
            return MIDDLE + 16 * random_.randrange(-8, 8)
        if kind < 0.6:
            return random_.choice(EDGES)
        return random_.randrange(256) if kind < 0.7 else random_.getrandbits(64)

    x = [value() for _ in range(31)] + [MIDDLE + 16 * random_.randrange(-8, 8)]
    return State(x, random_.randrange(16), CODE, NOISE)


def matching_load(store: int) -> int:
    """The load-exclusive that makes a store-exclusive succeed, into registers it does not use."""
    used = {store >> 16 & 31, store >> 10 & 31, store >> 5 & 31, store & 31}
    t, t2 = [n for n in range(31) if n not in used][:2]
    load = store & ~(0x1F << 16 | 0x8000 | 0x1F << 10 | 0x1F) | 1 << 22 | 0x1F << 16
    return load | (t2 if store >> 21 & 1 else 0x1F) << 10 | t


def is_store_exclusive(word: int) -> bool:
    group = word >> 24 & 0x3F == 0x08 and not word >> 22 & 3
    return group and not (word >> 21 & 1 and not word >> 31)


def difference(ours: State, theirs: State) -> str | None:
    """The name of the first thing that differs."""
    for name in ("fault", "pc", "nzcv", "x", "memory"):
        if getattr(ours, name) != getattr(theirs, name):
            return name
    return None
