# SPDX-License-Identifier: MIT
"""Our assembler against GNU's, over the words of our kernels and over random ones."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from array import array
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
        ("add x0, x1\n", "bad.s:1: x0, x1: a target and two operands"),
        ("add x0, w1, w2\n", "x0, w1, w2: x and w registers are mixed"),
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


@pytest.mark.parametrize(
    ("text", "word"),
    [
        # numbers as GNU's assembler reads them
        ("add x0, x1, #010", 0x91002020),
        ("add x0, x1, 0b101", 0x91001420),
        ("add x0, x1, x2, lsl #010", 0x8B022020),
        ("ldr x0, [x1, #0x10]", 0xF9400820),
        ("b .+010", 0x14000002),
        ("add x0, x1, #08", None),
        ("add x0, x1, #0b2", None),
        ("add x0, x1, #0xg", None),
        ("mov x0, #0x10000000000000000", None),
        # 31: SP or the zero register
        ("add x4, sp, #1", 0x910007E4),
        ("add x4, xzr, #1", None),
        ("add xzr, x4, #1", None),
        ("adds xzr, sp, #1", 0xB10007FF),
        ("cmp sp, #5", 0xF10017FF),
        ("cmp xzr, #5", None),
        ("add sp, x1, x2", 0x8B22603F),
        ("add sp, xzr, x2", None),
        ("add xzr, x1, w2, uxtb", None),
        ("add x0, x1, sp", None),
        ("and sp, x11, #1", 0x9240017F),
        ("and xzr, x11, #1", None),
        ("orr x0, xzr, #3", 0xB24007E0),
        ("orr xzr, x1, #3", None),
        ("tst x11, #1", 0xF240017F),
        ("ands sp, x11, #1", None),
        ("mov sp, #3", 0xB24007FF),
        ("mov sp, xzr", None),
        ("mov xzr, #0x5555555555555555", None),
        ("neg sp, x1", None),
        ("ldr x0, [x1, sp]", None),
        ("ldr x0, [xzr]", None),
        # immediates where there are none, or that lose bits
        ("neg x2, #255", None),
        ("mvn x2, #255", None),
        ("bic x2, x3, #255", 0x9278DC62),
        ("bics x2, x3, #255", None),
        ("mov w2, #0xff00ff00ff00ff00", None),
        ("mov w2, #0xffffffff", 0x12800002),
        ("mov w2, #-1", 0x12800002),
        ("and w0, w1, #0x5555555555555555", None),
        ("tbz w0, #32, .+8", None),
        ("bfi x0, x1, #60, #5", None),
        (".word 0x100000000", None),
        # registers of the other width
        ("add x0, x1, w2, uxtw", 0x8B224020),
        ("add x0, x1, w2, uxtx", None),
        ("add w0, w1, x2, uxtx", None),
        ("br w1", None),
        ("uxtb x0, w1", None),
        ("sxtw w0, w1", None),
        ("smull x0, x1, x2", None),
        ("ccmp x0, w1, #0, eq", None),
        ("ldarb x0, [x1]", None),
        ("casb x0, x1, [x2]", None),
        ("ldaddh x0, x1, [x2]", None),
        ("stxr x0, x1, [x2]", None),
        ("swpp w0, w1, [x2]", None),
        ("swpp x0, xzr, [x2]", None),
        ("adr w0, .+8", None),
        ("mrs w0, nzcv", None),
        # addresses
        ("ldr x0, [x1, #-8]!", 0xF85F8C20),
        ("ldur x0, [x1, #-8]!", None),
        ("ldur x0, [x1], #8", None),
        ("ldapur x0, [x1, #8]!", None),
        ("ldnp x0, x1, [x2, #16]!", None),
        ("ldr x0, [x1]!", None),
        ("ldr x0, [x1, w2, lsl #3]", None),
        ("ldr x0, [x1, x2, uxtw #3]", None),
        ("ldr x0, [x1, x2, asr #3]", None),
        ("ldr x0, [x1] #8", None),
        ("ldr x0 [x1]", None),
        # too many operands, or none between commas
        ("br x0, x1", None),
        ("blr", None),
        ("brk #1, #2", None),
        ("mov x0, x1, lsl #1", None),
        ("add x0,, x1, x2", None),
        ("ret x0,", None),
        # what has no such form
        ("dmb ish", 0xD5033BBF),
        ("isb ish", None),
        ("clrex sy", None),
        ("cset x0, al", None),
        ("casp x1, x2, x4, x5, [x8]", None),
        ("stadda x0, [x1]", None),
        ("add x0, x1, x2, ror #1", None),
        ("mov x01, x2", None),
        (".balign 3", None),
        ("/* nop", None),
    ],
)
def test_the_word_or_none(text: str, word: int | None) -> None:
    if word is None:
        with pytest.raises(AssemblyError, match=r"^one\.s:1: "):
            assemble(text, "one.s")
    else:
        assert assemble(text, "one.s").word(0x400000) == word


# Random statements: per group the mnemonics and the kinds of their operands; a kind is a pool.
_OPERANDS = {
    kind: pool.split()
    for kind, pool in {
        "R": "x0 x1 x2 x3 x9 x30 lr w0 w1 w2 w30 sp wsp xzr wzr x31",
        "I": "#0 #1 #-1 3 #8 #010 #0b11 #-8 #12 #16 #31 #32 #63 #64 #255 #256 #-256 #504 #512 "
        "#4095 #4096 #4097 #0xfff000 #65535 #65536 #0xff00ff #0xffffffff #0x5555555555555555 #-2 "
        "#0xff00ff00ff00ff00 #0xffff0000 #0x8000000000000000",
        "C": "eq ne hs lo ge al nv",
        "F": "#0 #15 #16 #-1",
        "L": ".+8 .-4 .+2 .+32764 .+32768 .-32768 .+1048572 .+1048576",
        "D": "ish ld sy foo #0 #15 #-1",
        "P": "pldl1keep pstl1strm pldl4keep foo",
    }.items()
}
_OPERANDS["M"] = [
    f"{kind} {by}".strip()
    for kind in ("lsl", "lsr", "asr", "ror", "uxtb", "uxtw", "uxtx", "sxth", "sxtw", "sxtx")
    for by in ("", "#0", "#1", "#2", "#3", "#010", "#12", "#16", "#32", "#64", "#-1")
]
_OPERANDS["A"] = [
    f"[{base}{inner}{behind}"
    for base in ("x0", "x3", "sp", "sp", "xzr", "w1")
    for inner in (
        *("", ", #8", ", #-8", ", #1", ", #255", ", #-256", ", #512", ", #32760"),
        *(", x2", ", w2", ", xzr", ", sp", ", x2, lsl #3", ", x2, lsl #0", ", x2, lsl"),
        *(", x2, uxtw", ", x2, sxtx #2", ", w2, uxtw", ", w2, sxtw #3", ", w2, lsl #3"),
    )
    for behind in ("]", "]", "]", "]!", "], #8", "], #-257")
]
_OPERATIONS = ("add", "clr", "eor", "set", "smax", "smin", "umax", "umin")


def _sized(*names: str, orders: tuple[str, ...] = ("",)) -> str:
    return " ".join(f"{n}{order}{size}" for n in names for order in orders for size in ("", *"bh"))


_ORDERS = ("", "a", "l", "al")
_GROUPS = [
    (names.split(), kinds)
    for names, every in (
        ("add adds sub subs and orr eor ands bic orn eon bics", "RRI RRR RRRM RRIM"),
        ("cmp cmn tst neg negs mvn", "RR RI RRM"),
        ("mov movz movn movk", "RI RIM"),
        ("cmp cmn", "RIM"),
        ("mov ngc uxtb uxth sxtb sxth sxtw rbit rev16 rev32 rev clz cls", "RR"),
        ("adc sbcs udiv sdiv mul mneg smull umull umnegl smulh", "RRR"),
        ("lsl lsr asr ror", "RRR RRI"),
        ("madd msub smaddl umsubl", "RRRR"),
        ("extr", "RRRI"),
        ("ubfx sbfx bfxil ubfiz sbfiz bfi", "RRII"),
        ("ccmp ccmn", "RIFC RRFC"),
        ("csel csinc csinv csneg", "RRRC"),
        ("cinc cinv cneg", "RRC"),
        ("cset csetm", "RC"),
        ("b bl b.eq b.al isb dmb nop", "L"),
        ("cbz cbnz adr ldr ldrsw", "RL"),
        ("tbz tbnz", "RIL"),
        ("br blr ret", "R"),
        ("isb dmb dsb clrex nop", "D"),
        ("svc brk udf", "I"),
        ("ldr str ldrb strb ldrh strh ldrsb ldrsh ldrsw", "RA"),
        ("ldur stur ldurb sturh ldursw ldapur stlur", "RA"),
        ("ldp stp ldnp stnp ldpsw ldxp ldaxp", "RRA"),
        (_sized("ldxr", "ldaxr", "ldar", "stlr", "ldapr"), "RA"),
        (_sized("stxr", "stlxr"), "RRA"),
        ("stxp stlxp", "RRRA"),
        ("casp caspa caspl caspal", "RRRRA"),
        (_sized("cas", "swp", *(f"ld{op}" for op in _OPERATIONS), orders=_ORDERS), "RRA"),
        (_sized(*(f"st{op}" for op in _OPERATIONS), orders=_ORDERS), "RA"),
        ("prfm", "PA"),
    )
    for kinds in every.split()
]


def _random_statement(random_: random.Random) -> str:
    names, kinds = random_.choice(_GROUPS)
    if random_.random() < 0.1:
        kinds = random_.choice((kinds[:-1], kinds + random_.choice("RIMA"), "RIA"))
    width = random_.choice("xwxw ")  # mostly one width, which is what has a chance
    pools = {
        "R": [one for one in _OPERANDS["R"] if width not in "xw" or one[0] in (width, "s")],
        # most instructions have no more than [base]
        "A": _OPERANDS["A"] if random_.random() < 0.6 else ["[x0]", "[sp]"],
    }
    chosen = [random_.choice(pools.get(kind, _OPERANDS[kind])) for kind in kinds]
    if kinds == "RRRRA" and random_.random() < 0.8:
        chosen[:4] = random_.choice(("x0 x1 x2 x3", "w4 w5 w6 w7", "x1 x2 x4 x5")).split()
    return f"{random_.choice(names)} {', '.join(chosen)}".strip()


def _by_gnu(lines: list[str], folder: Path) -> list[int | None]:
    """The word of every statement, None for a refused one; all in one run."""
    tools = "aarch64-linux-gnu-as", "aarch64-linux-gnu-objcopy"
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    source, made, raw = folder / "lines.s", folder / "lines.o", folder / "lines.bin"
    source.write_text("".join(f".org {4 * at}; {line}\n" for at, line in enumerate(lines))
                      + f".org {4 * len(lines)}\n")  # fmt: skip
    said = subprocess.run(  # -Z: an object in spite of errors
        [tools[0], "-march=armv8.5-a", "-Z", "-o", str(made), str(source)],
        capture_output=True, text=True, check=False,
    ).stderr  # fmt: skip
    refused = {int(n) - 1 for n in re.findall(r"^.*?:(\d+): Error:", said, re.M)}
    subprocess.run([tools[1], "-O", "binary", "-j", ".text", str(made), str(raw)], check=True)
    words = array("I", raw.read_bytes())
    return [None if at in refused else words[at] for at in range(len(lines))]


def test_random_statements_are_taken_and_refused_as_by_gnu(tmp_path: Path) -> None:
    """Never a word that GNU's does not give; what ours alone refuses goes to the other one."""
    random_ = random.Random(11)
    lines = list(dict.fromkeys(_random_statement(random_) for _ in range(15_000)))
    wrong, same, ours_alone = [], 0, 0
    for line, word in zip(lines, _by_gnu(lines, tmp_path), strict=True):
        try:
            ours = assemble(line, "one.s").word(0x400000)
        except AssemblyError:
            ours_alone += word is not None
            continue
        same += ours == word
        if ours != word:
            wrong.append(f"{line}: {ours:#x}, not {word and hex(word)}")
    assert not wrong, "\n".join(wrong[:20])
    assert same > 2_000
    assert ours_alone < same / 20
