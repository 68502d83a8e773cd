# SPDX-License-Identifier: MIT
"""Our assembler against GNU's, over the words of our kernels and over random ones."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from atomics.emulator import kernels
from atomics.emulator.arm64 import decode
from atomics.emulator.assembler import AssemblyError, assemble
from atomics.emulator.assembler.encode import encode
from atomics.emulator.assembler.operands import split
from atomics.emulator.image import ImageError

OBJDUMP = "aarch64-linux-gnu-objdump"


def listed(words: list[int], folder: Path) -> list[tuple[int, str, str]]:
    """(word, mnemonic, operands with branch targets as .+8) as GNU's disassembler has them."""
    if shutil.which(OBJDUMP) is None:
        pytest.skip(f"{OBJDUMP} is not installed")
    raw = folder / "words.bin"
    raw.write_bytes(b"".join(word.to_bytes(4, "little") for word in words))
    shown = subprocess.run(
        [OBJDUMP, "-D", "-b", "binary", "-maarch64", str(raw)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = []
    for line in shown.splitlines():
        match = re.match(r" +([0-9a-f]+):\t([0-9a-f]{8}) \t(\S+)\s*(.*)", line)
        if match:
            here, word, name = int(match[1], 16), int(match[2], 16), match[3]
            operands = re.sub(r"\s*//.*", "", match[4])
            operands = re.sub(
                r"(?<!#)0x([0-9a-f]+)$",
                lambda m, at=here: f".{_signed(int(m[1], 16) - at):+d}",  # type: ignore[misc]
                operands,
            )
            rows.append((word, name, operands))
    return rows


def _signed(value: int) -> int:
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def relative(label: str) -> int:
    return int(label[1:])


def test_every_word_of_our_kernels_comes_back(tmp_path: Path) -> None:
    words = sorted(
        {int(w, 16) for row in kernels.table()["functions"].values() for w in row.split()}
    )
    plain = [w for w in words if (decode(w, 0).known and w >> 24 != 0x19 and w >> 26 & 1 == 0)
             or w >> 26 & 0x1F == 5]  # fmt: skip
    compared = 0
    for word, name, operands in listed(plain, tmp_path):
        if name != ".inst" and not re.search(r"\b[qdsv]\d", operands):
            assert encode(name, split(operands), relative) == word, f"{name} {operands}"
            compared += 1
    assert compared > 250


def test_random_words_come_back_or_mean_the_same(tmp_path: Path) -> None:
    """Bits that an encoding ignores are not kept: then the text must be the same again."""
    random_ = random.Random(6)
    groups = ((0x10000000, 0xE3FFFFFF), (0x0A000000, 0xF1FFFFFF), (0x08000000, 0xF3FFFFFF),
              (0x14000000, 0x83FFFFFF), (0x34000000, 0x83FFFFFF))  # fmt: skip
    words = []
    while len(words) < 15_000:
        fixed, free = random_.choice(groups)
        word = fixed | random_.getrandbits(32) & free
        if (decode(word, 0).known and word >> 26 & 1 == 0) or word >> 26 & 0x1F == 5:
            words.append(word)
    again: dict[int, tuple[str, str]] = {}
    same = 0
    for word, name, operands in listed(words, tmp_path):
        if name == ".inst":
            continue
        try:
            made = encode(name, split(operands), relative)
        except AssemblyError:
            continue  # not one of ours, such as LDTR
        same += made == word
        if made != word:
            again[made] = (name, operands)
    assert same > 8_000
    for word, name, operands in listed(sorted(again), tmp_path):
        assert (name, operands) == again[word]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        # from Arm's tables, as GNU's 2.40 knows none of them
        ("swpp x0, x1, [x2]", 0x19218040),
        ("swppal x0, x1, [x2]", 0x19E18040),
        ("ldsetpa x0, x1, [x2]", 0x19A13040),
        ("ldclrpl x0, x1, [x2]", 0x19611040),
        ("ldiapp x0, x1, [x2]", 0xD9411840),
        ("ldiapp x0, x1, [x2], #16", 0xD9410840),
        ("stilp x0, x1, [x2]", 0xD9011840),
        ("stilp x0, x1, [x2, #-16]!", 0xD9010840),
    ],
)
def test_lse128_and_rcpc3(text: str, word: int) -> None:
    assert assemble(text, "one.s").word(0x400000) == word


def test_labels_directives_and_comments() -> None:
    image = assemble(
        """
        .arch armv8-a+lse          // ignored
        .text
        .globl first
        .type first, %function
first:  nop /* a comment
               over lines */
1:      cbnz x0, 1b; b 1f
        .p2align 3
1:      ret
        .size first, .-first
        .globl second
second: .inst 0xd503201f
        .xword 0x1122334455667788
        """,
        "some.S",
        "first",
    )
    nop, ret = 0xD503201F, 0xD65F03C0
    words = [image.word(image.entry + 4 * n) for n in range(8)]
    assert words == [nop, 0xB5000000, 0x14000002, nop, ret, nop, 0x55667788, 0x11223344]
    assert image.end == image.entry + 20
    assert set(image.symbols) == {"first", "second"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nop\n frob x0\n", "bad.s:2: frob: not an instruction"),
        ("add x0, x1\n", "bad.s:1: a target and two operands"),
        ("add x0, w1, w2\n", "do not go together"),
        ("add x0, x1, #4097\n", "0 to 4095"),
        ("and x0, x1, #5\n", "no logical immediate"),
        ("ldr x0, [w1]\n", "the base is x0 to x30 or sp"),
        ("ldr x0, [x1\n", "no address"),
        ("casp x0, x2, x4, x5, [x8]\n", "follow each other"),
        ("ldxp x0, x1, [x2, #8]\n", r"only \[base\]"),
        ("b nowhere\n", "nowhere: no such label"),
        ("b 1f\n1: b 1f\n", "bad.s:2: 1f: no such label"),
        ("x: nop\nx: nop\n", "x: defined twice"),
        (".macro m\n", "not a directive"),
        ("#define X 1\n", "the C preprocessor"),
        ("mov x0, #0x123456789\n", "one mov cannot load it"),
        ("ccmp x0, x1, #16, eq\n", "0 to 15"),
        ("b.xx .+8\n", "xx: no condition"),
    ],
)
def test_what_it_cannot_translate_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(AssemblyError, match=said):
        assemble(text, "bad.s")


def test_a_symbol_is_chosen_or_asked_for() -> None:
    text = ".globl a\n.globl b\na: nop\nb: ret\n"
    with pytest.raises(ImageError, match=r"name a symbol, two\.s:SYMBOL; it has a, b"):
        assemble(text, "two.s")
    assert assemble(text, "two.s", "b").entry == 0x400004
    with pytest.raises(ImageError, match="no symbol c; it has a, b"):
        assemble(text, "two.s", "c")
