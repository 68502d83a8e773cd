# SPDX-License-Identifier: MIT
"""Executes one compiled function and notes, in order, its accesses to the object and its barriers.

At -O0 nothing is inlined or kept in registers, so a listing does not show which accesses are to the
object; an execution does. arm64 runs in our own machine, x86-64 in Unicorn, on any host.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import unicorn
from elftools.elf.elffile import ELFFile
from unicorn import x86_const as x86

from atomics.emulator import elf, listing
from atomics.emulator.arm64 import Kind
from atomics.emulator.calls import BINDINGS
from atomics.emulator.local import Choice, LocalMachine
from atomics.emulator.model import Model
from atomics.emulator.scenario import calls_of, scenarios
from atomics.emulator.semantics import Semantics
from atomics.emulator.specification import SPECIFICATIONS, Pair
from atomics.emulator.world import World
from tests.atomics.disassembly import Instruction

BARRIER = re.compile(r"(dmb|dsb|isb)\b")
Run = Callable[[str, str, bool], tuple[str, ...]]  #: (operation, function, fail once) -> names


def _bytes(pair: Pair) -> bytes:
    return pair[0].to_bytes(8, "little") + pair[1].to_bytes(8, "little")


class Arm64:
    """The functions of an object file, in the checker's machine, one instruction a step."""

    def __init__(self, path: Path) -> None:
        self._file = elf.functions(path)

    def run(self, operation: str, function: str, fail_once: bool) -> tuple[str, ...]:
        """``fail_once``: the first store-exclusive fails, the first compare-and-swap misses."""
        specification = SPECIFICATIONS[operation]
        situation = scenarios(specification, 1, 1)[0]
        image = self._file.image(function)
        world = World(
            image,
            calls_of(situation, image, specification, BINDINGS[operation]),
            _bytes(situation.initial),
            Model(pairs="atomic", step="instruction"),
        )
        semantics = Semantics(world, LocalMachine(world))
        state = semantics.initial().state
        names: list[str] = []
        while state is not None and not semantics.finished(state):
            number = state.locals[0]
            asked = semantics.local.pending[number]
            assert asked is not None
            pc = semantics.local.states[number].pc
            text = listing.text(image.word(pc) or 0, pc)
            choice = Choice.WHOLE
            if asked.kind is not Kind.STEP:
                names.append(text.split()[0])
            elif BARRIER.match(text):
                names.append(text)
            if asked.kind is Kind.STORE_EXCLUSIVE:
                choice = Choice.FAILED if fail_once else Choice.STORED
                fail_once = False
            elif asked.kind is Kind.UPDATE and fail_once:
                state = state._replace(memory=_bytes((7, 9)))
                fail_once = False
            step = semantics.step(state, 0, choice)
            assert step.wrong is None, f"{function}: {step.wrong}"
            state = step.state
        return tuple(names)


CODE, STACK, OBJECT, OTHER, RETURN = 0x100000, 0x800000, 0xA00000, 0xB00000, 0xC00000
#: integer arguments in the order of the C prototypes, the object first
X86_ARGUMENTS = (
    x86.UC_X86_REG_RDI, x86.UC_X86_REG_RSI, x86.UC_X86_REG_RDX, x86.UC_X86_REG_RCX,
    x86.UC_X86_REG_R8, x86.UC_X86_REG_R9,
)  # fmt: skip
#: VMOVDQA of 16 bytes from and to (%rax ... %rdi), which Unicorn does not know
VMOVDQA = {b"\xc5\xf9\x6f": True, b"\xc5\xf9\x7f": False}
X86_BASES = (
    x86.UC_X86_REG_RAX, x86.UC_X86_REG_RCX, x86.UC_X86_REG_RDX, x86.UC_X86_REG_RBX,
    None, None, x86.UC_X86_REG_RSI, x86.UC_X86_REG_RDI,
)  # fmt: skip


class X86:
    """The functions of an object file, linked and run by Unicorn. Which bytes an instruction
    touches is what Unicorn reports; its name is what objdump says."""

    def __init__(self, path: Path, listed: dict[str, list[Instruction]]) -> None:
        library = path.with_suffix(".so")
        subprocess.run(["gcc", "-shared", "-nostdlib", str(path), "-o", str(library)], check=True)
        with library.open("rb") as file:
            image = ELFFile(file)
            self._starts = {
                one.name: CODE + one["st_value"]
                for one in image.get_section_by_name(".symtab").iter_symbols()
            }
            segments = [
                (CODE + one["p_vaddr"], one.data())
                for one in image.iter_segments()
                if one["p_type"] == "PT_LOAD"
            ]
        self._names = {
            self._starts[function] + one.address - body[0].address: one.mnemonic
            for function, body in listed.items()
            for one in body
        }
        uc: Any = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
        for start, size in ((CODE, 1 << 20), (STACK, 1 << 16), (OBJECT, 4096), (OTHER, 4096)):
            uc.mem_map(start, size)
        for start, content in segments:
            uc.mem_write(start, content)
        uc.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, self._touched)
        uc.hook_add(unicorn.UC_HOOK_CODE, self._reached)
        self._uc = uc

    def run(self, operation: str, function: str, fail_once: bool) -> tuple[str, ...]:
        """``fail_once``: the first compare-and-swap finds another pair than it expects."""
        situation = scenarios(SPECIFICATIONS[operation], 1, 1)[0]
        given = dict(situation.calls[0][0][1])
        words = [OBJECT]
        for value in given.values():
            words += value if isinstance(value, tuple) else [value]
        words += [OTHER] * (operation == "compare_exchange")
        self._fail_once, self._executed = fail_once, 0
        self._noted: dict[int, str] = {}  # number of the executed instruction -> its name
        self._uc.mem_write(OBJECT, _bytes(situation.initial))
        top = STACK + 0x8000
        self._uc.mem_write(top, RETURN.to_bytes(8, "little"))
        self._uc.reg_write(x86.UC_X86_REG_RSP, top)
        for register, value in zip(X86_ARGUMENTS, words, strict=False):
            self._uc.reg_write(register, value)
        self._uc.emu_start(self._starts[function], RETURN, count=10_000)
        return tuple(name for _, name in sorted(self._noted.items()))

    def _reached(self, uc: Any, address: int, size: int, _: Any) -> None:
        self._here, self._executed = address, self._executed + 1
        name = self._names.get(address, "")
        if name == "lock cmpxchg16b" and self._fail_once:
            self._fail_once = False
            uc.mem_write(OBJECT, _bytes((7, 9)))
        if name.endswith("fence"):
            self._noted[self._executed] = name
        code = bytes(uc.mem_read(address, 4))
        loads = VMOVDQA.get(code[:3])
        if loads is not None:
            assert code[3] >> 3 == 0, "another register than xmm0, or a displacement"
            base = uc.reg_read(X86_BASES[code[3] & 7])
            assert base == OBJECT
            self._noted[self._executed] = name
            if loads:
                whole = int.from_bytes(uc.mem_read(base, 16), "little")
                uc.reg_write(x86.UC_X86_REG_XMM0, whole)
            else:
                uc.mem_write(base, uc.reg_read(x86.UC_X86_REG_XMM0).to_bytes(16, "little"))
            uc.reg_write(x86.UC_X86_REG_RIP, address + 4)

    def _touched(self, uc: Any, kind: int, address: int, size: int, value: int, _: Any) -> None:
        name = re.sub(r"(?<=or|dd)[lq]$", "", self._names.get(self._here, ""))
        if OBJECT <= address < OBJECT + 16 or name.startswith("lock "):
            self._noted[self._executed] = name


def machine(architecture: str, path: Path, listed: dict[str, list[Instruction]]) -> Run:
    """What runs the functions of an object file."""
    return Arm64(path).run if architecture == "arm64" else X86(path, listed).run
