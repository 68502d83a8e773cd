# SPDX-License-Identifier: MIT
"""State counts of known programs: what any correct explorer of this model finds.

The counts were measured by three independent explorers before this one existed (one in Python, one
in C, one that steps Unicorn with its own memory and monitor). Unicorn's own is repeated here.
"""

from __future__ import annotations

from typing import Any

import pytest
import unicorn
from unicorn import arm64_const as const

from atomics.emulator.unicorn_cpu import UnicornDecoder
from tests.atomics.emulator.programs import CASP, CLASSIC, FEEDBACK, explored, pair_bytes, world

ATOMIC = ["pairs=atomic"]
EVERY = [*ATOMIC, "step=instruction"]
EMULATED = [*EVERY, "monitor=value", "spurious=0"]
COUNTS = [
    (CLASSIC, 2, ATOMIC, 36, 60),
    (CLASSIC, 2, [], 175, 360),
    (CLASSIC, 3, ATOMIC, 415, 888),
    (CLASSIC, 3, [], 8_055, 21_849),
    (CLASSIC, 4, ATOMIC, 7_360, 19_064),
    (FEEDBACK, 2, [], 221, 480),
    (FEEDBACK, 3, [], 9_290, 25_560),
    (CASP, 2, ATOMIC, 12, 14),
    (CASP, 3, ATOMIC, 65, 102),
    (CASP, 4, ATOMIC, 460, 892),
    (CASP, 5, ATOMIC, 4_057, 9_340),
    (CLASSIC, 2, EVERY, 319, 594),
    (CLASSIC, 3, EVERY, 12_941, 34_686),
    (CLASSIC, 2, EMULATED, 267, 466),
    (CLASSIC, 3, EMULATED, 11_187, 28_887),
    (CASP, 2, EMULATED, 296, 530),
    (CASP, 3, EMULATED, 14_181, 38_130),
]


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(("text", "cpus", "settings", "states", "transitions"), COUNTS)
def test_both_explorers_reproduce_the_counts(
    text: str, cpus: int, settings: list[str], states: int, transitions: int, engine: str
) -> None:
    found = explored(world([text] * cpus, settings), engine)
    assert (found.states, found.transitions) == (states, transitions)
    assert found.complete
    assert found.wrong is None


@pytest.mark.parametrize(
    ("cpus", "settings", "states", "transitions"),
    [(5, ATOMIC, 187_469, 573_640), (4, [], 720_625, 2_494_044)],
)
def test_the_native_explorer_reproduces_the_large_counts(
    cpus: int, settings: list[str], states: int, transitions: int
) -> None:
    found = explored(world([CLASSIC] * cpus, settings))
    assert (found.states, found.transitions) == (states, transitions)


@pytest.mark.parametrize(("text", "cpus", "settings", "states", "transitions"), COUNTS)
def test_local_instructions_by_unicorn_lead_to_the_same_states(
    text: str, cpus: int, settings: list[str], states: int, transitions: int
) -> None:
    found = explored(world([text] * cpus, settings), decoder=UnicornDecoder(every=True))
    assert (found.states, found.transitions) == (states, transitions)


class UnicornSearch:
    """Every interleaving of single instructions with all of it in Unicorn: memory, monitor and
    registers, one context per CPU. Nothing of ours but the breadth-first loop."""

    def __init__(self, text: str, cpus: int) -> None:
        self.cpus, self.const = cpus, const
        image = world([text]).image
        self.uc = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        self.uc.ctl_set_cpu_model(const.UC_CPU_ARM64_MAX)
        self.uc.mem_map(0x400000, 0x1000)
        self.uc.mem_map(0x800000, 0x1000)
        self.uc.mem_write(0x400000, image.code)
        self.uc.mem_write(0x800000, pair_bytes(10, 20))
        self.uc.reg_write(const.UC_ARM64_REG_X8, 0x800000)
        self.uc.reg_write(const.UC_ARM64_REG_X30, 0x400F00)
        self.uc.reg_write(const.UC_ARM64_REG_NZCV, 0)  # Z is set at reset
        self.uc.reg_write(const.UC_ARM64_REG_PC, image.entry)
        self.registers = [getattr(const, f"UC_ARM64_REG_X{n}") for n in range(8)]

    def run(self) -> tuple[int, int]:
        start = self.uc.context_save()
        key = self._key((None, False))
        first = (bytes(self.uc.mem_read(0x800000, 16)), (key,) * self.cpus)
        contexts = {key: start}
        seen, todo, transitions = {first}, [first], 0
        while todo:
            memory, keys = todo.pop(0)
            for cpu, key in enumerate(keys):
                if key[0] == 0x400F00:
                    continue
                self.uc.context_restore(contexts[key])
                self.uc.mem_write(0x800000, memory)
                word = int.from_bytes(self.uc.mem_read(key[0], 4), "little")
                self.uc.emu_start(key[0], 0xDEAD0000, count=1)
                after = self._key(self._monitor(word, memory, key[-1]))
                contexts.setdefault(after, self.uc.context_save())
                transitions += 1
                left = bytes(self.uc.mem_read(0x800000, 16))
                state = (left, (*keys[:cpu], after, *keys[cpu + 1 :]))
                if state not in seen:
                    seen.add(state)
                    todo.append(state)
        return len(seen), transitions

    def _monitor(self, word: int, memory: bytes, before: Any) -> Any:
        """What Unicorn's monitor remembers, which no register shows: only to tell states apart."""
        if word >> 16 == 0xC87F:  # LDXP
            return (memory, True)
        if word >> 21 == 0xC820 >> 5:  # STXP
            return (None, False)
        return before

    def _key(self, monitor: Any) -> tuple[Any, ...]:
        pc = self.uc.reg_read(self.const.UC_ARM64_REG_PC)
        zero = self.uc.reg_read(self.const.UC_ARM64_REG_NZCV) >> 30 & 1
        return (pc, zero, *self.uc.reg_read_batch(self.registers), monitor)


@pytest.mark.parametrize(("text", "states", "transitions"), [(CLASSIC, 267, 466), (CASP, 296, 530)])
def test_unicorn_alone_finds_what_our_model_of_an_emulator_finds(
    text: str, states: int, transitions: int
) -> None:
    assert UnicornSearch(text, 2).run() == (states, transitions)
