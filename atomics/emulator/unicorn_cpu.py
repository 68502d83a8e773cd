# SPDX-License-Identifier: MIT
"""Local instructions by Unicorn: all that it knows, or only those that our decoder lacks.

What reaches memory stays with us, as does LSE128, RCPC3 and everything that another CPU can see.
One Unicorn is stepped with count=1 from its birth: after a free run its cached blocks carry no
counter (Unicorn issues 1606, 1751).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from atomics.emulator.arm64 import Instruction, Registers, decode
from atomics.emulator.arm64.registers import SP, VECTOR, field
from atomics.emulator.fault import Undecided

CODE_BYTES = 0x1000
NOWHERE = 0xDEAD_0000  #: an unmapped address to run until: a mapped one costs a dropped block


class UnicornDecoder:
    """Maps (word, address) to an instruction, as arm64.decode does.

    ``every``: Unicorn executes each instruction that does not reach memory; else only those that
    are unknown to us (vectors, CRC32, ...). Raises Undecided if Unicorn is needed and missing."""

    def __init__(self, every: bool) -> None:
        self._every = every
        self._uc: Any = None
        if every:
            self._start()

    def __call__(self, word: int, address: int) -> Instruction:
        ours = decode(word, address)
        local = not ours.reaches_memory and not ours.clears_monitor
        if ours.leaves_user_code is not None or not local:
            return ours
        if ours.known and not self._every:
            return ours

        def run(c: Registers) -> None:
            self._step(word, address, c)

        return replace(ours, run=run)

    def _start(self) -> None:
        import unicorn as package  # here, as it takes longer than most checks
        from unicorn import arm64_const

        unicorn: Any = package  # it declares no types
        self._error, self._const = unicorn.UcError, arm64_const
        self._x = [getattr(arm64_const, f"UC_ARM64_REG_X{n}") for n in range(31)]
        self._x.append(arm64_const.UC_ARM64_REG_SP)
        self._v = [getattr(arm64_const, f"UC_ARM64_REG_V{n}") for n in range(32)]
        self._uc = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        self._uc.ctl_set_cpu_model(arm64_const.UC_CPU_ARM64_MAX)
        self._uc.reg_write(arm64_const.UC_ARM64_REG_CPACR_EL1, 3 << 20)  # vectors on
        self._page: int | None = None

    def _step(self, word: int, address: int, c: Registers) -> None:
        if self._uc is None:
            self._start()
        uc, const = self._uc, self._const
        page = address & ~(CODE_BYTES - 1)
        if page != self._page:
            if self._page is not None:
                uc.mem_unmap(self._page, CODE_BYTES)
            uc.mem_map(page, CODE_BYTES)
            self._page = page
        raw = word.to_bytes(4, "little")
        if uc.mem_read(address, 4) != raw:
            uc.mem_write(address, raw)
            uc.ctl_remove_cache(address, address + 4)
        vectors = field(word, 27, 25) == 7
        uc.reg_write_batch(list(zip(self._x, [*c.r[:31], c.r[SP]], strict=True)))
        uc.reg_write(const.UC_ARM64_REG_NZCV, c.nzcv << 28)
        if vectors:
            for n, name in enumerate(self._v):
                uc.reg_write(name, c.r[VECTOR + n])
        try:
            uc.emu_start(address, NOWHERE, count=1)
        except self._error as error:
            if uc.reg_read(const.UC_ARM64_REG_PC) == address:
                raise Undecided(f"Unicorn does not execute {word:08x} ({error})") from None
        x = uc.reg_read_batch(self._x)
        c.r[:31], c.r[SP] = x[:31], x[31]
        c.nzcv = uc.reg_read(const.UC_ARM64_REG_NZCV) >> 28 & 15
        c.pc = uc.reg_read(const.UC_ARM64_REG_PC)
        if vectors:
            for n, name in enumerate(self._v):
                c.r[VECTOR + n] = uc.reg_read(name)
