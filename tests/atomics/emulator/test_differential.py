# SPDX-License-Identifier: MIT
"""Our interpreter against Unicorn, instruction by instruction, over the whole integer set."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import capstone

from atomics.emulator import kernels
from atomics.emulator.arm64 import Instruction, decode
from tests.atomics.emulator.differential import (
    CODE,
    Interpreter,
    Machine,
    difference,
    is_store_exclusive,
    matching_load,
    state,
)

INSTRUCTIONS = 50_000
PROGRAM = 12
#: (fixed bits, random bits): immediate, register, loads and stores, exclusives and CAS, LSE; and
#: again what random bits rarely make: CASP, exclusive pairs, conditional compare, carry
GROUPS = (
    (0x10000000, 0xE3FFFFFF),
    (0x0A000000, 0xF1FFFFFF),
    (0x08000000, 0xF3FFFFFF),
    (0x08000000, 0xC0FFFFFF),
    (0x38200000, 0xC0DFF3FF),
    (0x08207C00, 0x405E83FE),
    (0x88200000, 0x407FFFFF),
    (0x3A400000, 0xC01FFBEF),
    (0x1A000000, 0xE01F03FF),
)
BRANCHES = ((0x14000000, 0x83FFFFFF), (0x34000000, 0x83FFFFFF), (0x54000000, 0x00FFFFEF))


def comparable(one: Instruction) -> bool:
    """Known here, no branch, architecturally defined, and not what Unicorn 2.1 lacks or gets wrong:
    LSE128, RCPC3, and LDSMAX and LDSMIN of 1, 2 and 4 bytes, where it compares without the sign
    (qemu-user 7.2 agrees with the manual and with us)."""
    word = one.word
    sub_word_signed = word & 0x3F20EC00 == 0x38204000 and word >> 30 != 3
    rcpc3 = word >> 24 & 0x3F == 0x19 and word >> 10 & 3 == 2
    literal = word >> 27 & 7 == 3 and word >> 24 & 3 == 0
    vectors = word >> 25 & 5 == 4 and word >> 26 & 1
    branch = one.memory is None and word >> 26 & 7 == 5
    return (
        one.known
        and not branch
        and one.problem is None
        and not (sub_word_signed or rcpc3 or literal or vectors or word >> 24 == 0x19)
    )


KERNEL_WORDS = sorted(
    {int(word, 16) for words in kernels.table()["functions"].values() for word in words.split()}
)


def drawn(random_: random.Random, groups: tuple[tuple[int, int], ...]) -> int:
    fixed, free = random_.choice(groups)
    return fixed | random_.getrandbits(32) & free


def grown(random_: random.Random, ours: Interpreter) -> list[int]:
    """A program of random words, each of which ran here without a fault; a store-exclusive stands
    right behind the load-exclusive that makes it succeed, as a mix would be unpredictable."""
    words: list[int] = []
    while len(words) < PROGRAM:
        from_kernel = random_.random() < 0.25
        word = random_.choice(KERNEL_WORDS) if from_kernel else drawn(random_, GROUPS)
        parts = [matching_load(word), word] if is_store_exclusive(word) else [word]
        for part in parts:
            one = decode(part, CODE + 4 * len(words))
            if not (comparable(one) and ours.step(one)):
                break
            words.append(part)
    return words


def mnemonics_of_kernels(listing: Any) -> set[str]:
    """Every instruction in the table of kernels that is ours to interpret, branches apart."""
    return {
        mnemonic
        for word in KERNEL_WORDS
        if comparable(decode(word, CODE))
        for _, _, mnemonic, _ in listing.disasm_lite(word.to_bytes(4, "little"), CODE)
    }


def test_random_programs_end_in_the_same_state() -> None:
    random_, machine, run, seen = random.Random(20), Machine(), 0, Counter[str]()
    listing = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    while run < INSTRUCTIONS:
        before = state(random_)
        ours = Interpreter(before)
        words = grown(random_, ours)
        theirs = machine.run(words, before)
        assert difference(ours.state, theirs) is None, [f"{word:08x}" for word in words]
        run += len(words)
        code = b"".join(word.to_bytes(4, "little") for word in words)
        seen.update(mnemonic for _, _, mnemonic, _ in listing.disasm_lite(code, CODE))
    missing = mnemonics_of_kernels(listing) - set(seen)
    assert missing == set()


def test_every_branch_goes_where_unicorn_goes() -> None:
    random_, machine = random.Random(21), Machine()
    for _ in range(2_000):
        word = drawn(random_, BRANCHES)
        one = decode(word, CODE)
        if one.known:
            before = state(random_)
            ours = Interpreter(before)
            assert ours.step(one)
            assert difference(ours.state, machine.run([word], before)) is None, f"{word:08x}"
