# SPDX-License-Identifier: MIT
"""Files of every kind, as compilers and linkers make them: what they hold is judged as if loaded.

The oracle is the verdict: each function stores its operand plus a constant that it fetches over the
way under test, less that constant, so that a wrong address makes it wrong."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import struct
import subprocess
from collections.abc import Callable, ItemsView
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from atomics.emulator import elf, target
from atomics.emulator.check import RIGHT, UNDECIDED, WRONG, check
from atomics.emulator.image import BASE, Image, ImageError
from atomics.emulator.scenario import with_peers
from atomics.emulator.specification import SPECIFICATIONS

GCC, CLANG = ["aarch64-linux-gnu-gcc"], ["clang", "--target=aarch64-linux-gnu"]
SOURCE = r"""
typedef unsigned long word;
extern const word table[];
static const word own[2] = {1, 2};
const word *const pointers[] = {own, table};
word counter, given = 5;
__thread word mine;
void other(void) __attribute__((weak));

__attribute__((noinline)) word five(void) { return given; }
static __attribute__((noinline)) word local(void) { return 5; }
word (*const function)(void) = five;
word (*volatile const hidden[])(void) = {local};
static word (*pick(void))(void) { return local; }
word chosen(void) __attribute__((ifunc("pick")));

__attribute__((noinline)) void store(word *o, word lo, word hi)
{
    word a, b;
    unsigned failed;
    do {
        __asm__ volatile("ldxp %0, %1, [%3]\n stxp %w2, %4, %5, [%3]"
                         : "=&r"(a), "=&r"(b), "=&r"(failed) : "r"(o), "r"(lo), "r"(hi) : "memory");
    } while (failed);
}
void plt(word *o, word lo, word hi) { store(o, lo + five() - 5, hi); }
void got(word *o, word lo, word hi) { store(o, lo + given - 5, hi); }
void relative(word *o, word lo, word hi) { store(o, lo + hidden[0]() - 5, hi); }
void pointer(word *o, word lo, word hi) { store(o, lo + function() - 5, hi); }
void rodata(word *o, word lo, word hi) { store(o, lo + pointers[lo >> 63][1] - 2, hi); }
void far(word *o, word lo, word hi) { store(o, lo + table[lo >> 63] - 7, hi); }
void calls_other(word *o, word lo, word hi) { other(); store(o, lo, hi); }
void calls_chosen(word *o, word lo, word hi) { store(o, lo + chosen() - 5, hi); }
void of_thread(word *o, word lo, word hi) { store(o, lo + mine, hi); }
void counts(word *o, word lo, word hi) { counter++; store(o, lo, hi); }
void sets(word *o, word lo, word hi) { given = lo; store(o, lo, hi); }
void spoils(word *o, word lo, word hi) { *(word *)own = lo; store(o, lo, hi); }
"""
TABLE = "const unsigned long table[] = {7, 8, 9};\n"
#: functions that need nothing but what the sources have
WHOLE = ("store", "plt", "got", "relative", "pointer", "rodata")
#: what stays open in each file, and why
OPEN = {
    "calls_other": "calls other, which is not in",
    "calls_chosen": r"the function is chosen when the program starts \(ifunc\)",
    "of_thread": "a system instruction|thread-local",
    "counts": "writes counter, global data, which is not modelled",
    "sets": "writes given, global data, which is not modelled",
}
LINKED = {
    "shared": ["-shared", "-fPIC"],
    "pie": ["-pie", "-fPIE"],
    "program": ["-no-pie", "-fno-pic"],
    "static": ["-no-pie", "-fno-pic", "-static"],
    "elsewhere": ["-no-pie", "-fno-pic", "-Wl,-Ttext-segment=0x1000000"],
    "high": ["-no-pie", "-fPIC", "-static", "-Wl,-Ttext-segment=0xffff800000000000"],
    "zero": ["-no-pie", "-fno-pic", "-static", "-Wl,-Ttext-segment=0"],
}
OBJECTS = {
    "pic": [*GCC, "-fPIC"],
    "pic-small": [*GCC, "-fpic"],
    "no-pic": [*GCC, "-fno-pic"],
    "no-pic-common": [*GCC, "-fno-pic", "-fcommon"],
    "tiny": [*GCC, "-fPIC", "-mcmodel=tiny"],
    "clang": [*CLANG, "-fPIC"],
    "clang-large": [*CLANG, "-fno-pic", "-mcmodel=large"],
    "sections": [*GCC, "-fPIC", "-ffunction-sections", "-fdata-sections"],
}
Made = Callable[..., Path]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Compiles texts to one file; ``command`` includes flags. Names end in .c or .s."""

    def make(name: str, command: list[str], **texts: str) -> Path:
        if shutil.which(command[0]) is None:
            pytest.skip(f"{command[0]} is not installed")
        for stem, text in texts.items():
            (tmp_path / stem.replace("_", ".")).write_text(text)
        files = [stem.replace("_", ".") for stem in texts]
        subprocess.run([*command, *files, "-o", name], cwd=tmp_path, check=True)
        return tmp_path / name

    return make


def judged(image: Image, spec: str = "store") -> tuple[str, str]:
    """The verdict, and why if it is not right."""
    verdict = check(image, SPECIFICATIONS[spec], runs=0)
    return verdict.result, str(verdict.explored[-1].reason)


@pytest.mark.parametrize("kind", LINKED)
def test_linked_code_is_judged_as_the_loader_leaves_it(kind: str, made: Made) -> None:
    flags = [*GCC, "-O1", "-nostdlib", *LINKED[kind]]
    if kind != "shared":
        flags.append("-Wl,-e,store")
    file = made(kind, flags, a_c=SOURCE, b_c=TABLE)
    for name in (*WHOLE, "far"):
        assert judged(elf.load(file, name)) == (RIGHT, "None"), name
    for name, why in OPEN.items():
        if name == "calls_other" and kind not in ("shared", "pie"):
            continue  # a program is whole: the linker made it 0
        result, said = judged(elf.load(file, name))
        assert (result, bool(re.search(why, said))) == (UNDECIDED, True), (name, said)
    result, said = judged(elf.load(file, "spoils"))
    assert (result, "writes into the code" in said) == (WRONG, True)


@pytest.mark.parametrize("kind", OBJECTS)
def test_an_object_is_judged_as_the_linker_would_leave_it(kind: str, made: Made) -> None:
    file = made("one.o", [*OBJECTS[kind], "-O1", "-c"], a_c=SOURCE)
    for name in WHOLE:
        assert judged(elf.load(file, name)) == (RIGHT, "None"), name
    for name, why in (OPEN | {"far": "reads table, which is not in one.o:far"}).items():
        result, said = judged(elf.load(file, name))
        assert (result, bool(re.search(why, said))) == (UNDECIDED, True), (name, said)


def test_a_program_that_lies_where_the_machine_has_the_object_is_refused(made: Made) -> None:
    flags = [*LINKED["static"], "-Wl,-e,store", "-nostdlib", "-Wl,-Ttext-segment=0x510fff0000"]
    file = made("taken", [*GCC, "-O1", *flags], a_c=SOURCE, b_c=TABLE)
    with pytest.raises(
        ImageError, match=r"linked for 0x510fff0000 to .*, where the object must be"
    ):
        elf.load(file, "store")


def test_what_cannot_be_relocated_matters_only_where_it_is_reached(made: Made) -> None:
    source = """
        .globl plain, reaches
plain:  mov x0, #0
        ret
reaches: mov x0, #0
        add x0, x0, #:tprel_hi12:mine
        ret
        .section .tbss, "awT", %nobits
mine:   .zero 8
    """
    file = made("tls.o", [*GCC, "-c"], a_s=source)
    assert judged(elf.load(file, "plain"))[0] == WRONG  # it stores nothing
    result, said = judged(elf.load(file, "reaches"))
    assert result == UNDECIDED
    assert said == "reaches+4: relocation 549 of mine: it is thread-local"


@pytest.mark.parametrize(
    ("instruction", "said"),
    [
        ("ldr x3, [x3, #:lo12:odd]", "relocation 286 of odd: it is not aligned"),
        ("movz x3, #:abs_g0:odd", "relocation 263 of odd: it is too far away"),
        ("movz x3, #:prel_g0:odd", "relocation 287 of odd: no such kind is known"),
    ],
)
def test_what_a_linker_would_refuse_is_not_decided(instruction: str, said: str, made: Made) -> None:
    source = f".globl f\nf: {instruction}\n ret\n.data\n .byte 0\n.globl odd\nodd: .quad 0\n"
    assert judged(elf.load(made("a.o", [*GCC, "-c"], a_s=source), "f")) == (
        UNDECIDED,
        f"f: {said}",
    )


def test_absolute_and_halves_of_absolute_addresses(made: Made) -> None:
    """MOVW_UABS, SHN_ABS, ABS16 and PREL16 against what the assembler makes of plain numbers."""
    source = """
        .globl number, f, data
        .set number, 0x123456789abcdef0
f:      movz x1, #:abs_g3:number
        movk x1, #:abs_g2_nc:number
        movk x1, #:abs_g1_nc:number
        movk x1, #:abs_g0_nc:number
        ret
data:   .hword small, data - .
        .word data + 4 - .
        .globl small
        .set small, 0x1234
    """
    plain = """
        .globl f
f:      movz x1, #0x1234, lsl #48
        movk x1, #0x5678, lsl #32
        movk x1, #0x9abc, lsl #16
        movk x1, #0xdef0
        ret
data:   .hword 0x1234, -2
        .word 0
    """
    images = [elf.load(made(name, [*GCC, "-c"], a_s=text), "f") for name, text in
              (("a.o", source), ("b.o", plain))]  # fmt: skip
    assert images[0].code == images[1].code[: len(images[0].code)]


def test_compact_relative_relocations(made: Made) -> None:
    """RELR, which the linker here cannot write: RELA turned into it, as the generic ABI has it."""
    source = "\n".join(f"static int f{n}(void) {{ return {n}; }}" for n in range(70))
    source += "\nint (*all[])(void) = {" + ", ".join(f"f{n}" for n in range(70)) + "};\n"
    flags = ["-shared", "-fPIC", "-O1", "-nostdlib"]
    file = made("a.so", [*GCC, *flags], a_c=source + "void start(void) { }")
    before = elf.load(file, "start").code
    raw = bytearray(file.read_bytes())
    with file.open("rb") as opened:
        parsed = ELFFile(opened)
        number, section = next(
            (n, one) for n, one in enumerate(parsed.iter_sections()) if one.name == ".rela.dyn"
        )
        offset, size = section["sh_offset"], section["sh_size"]
        entries = list(struct.iter_unpack("<QQq", section.data()))
        data = parsed.get_section_by_name(".data")
        header = parsed["e_shoff"] + number * parsed["e_shentsize"]
        start = data["sh_offset"] - data["sh_addr"]
    assert len(entries) >= 70
    for place, info, addend in entries:
        assert info == 1027
        struct.pack_into("<q", raw, place + start, addend)
    first = entries[0][0]
    bits = [0, 0]
    for place, _, _ in entries[1:]:
        word, bit = divmod((place - first) // 8 - 1, 63)
        bits[word] |= 2 << bit
    relr = struct.pack("<QQQ", first, bits[0] | 1, bits[1] | 1)
    raw[offset : offset + size] = relr + bytes(size - len(relr))
    struct.pack_into("<I", raw, header + 4, 19)  # SHT_RELR
    struct.pack_into("<Q", raw, header + 32, len(relr))
    struct.pack_into("<Q", raw, header + 56, 8)  # sh_entsize
    file.write_bytes(raw)
    at = data["sh_addr"]
    after = elf.load(file, "start").code
    assert after[at : at + 560] == before[at : at + 560] != bytes(560)


def test_common_variables_have_room_of_their_own(made: Made) -> None:
    source = """
typedef unsigned long word;
word first, second[4];
void load(word *o) { __asm__ volatile("" :: "r"(&first), "r"(second)); first = second[1]; }
"""
    file = made("a.o", [*GCC, "-O1", "-fcommon", "-fno-pic", "-c"], a_c=source)
    image = elf.load(file, "load")
    places = [image.writable.find(image.limit - 8 * n) for n in range(1, 6)]
    assert {one.label for one in places if one} == {"first", "second"}
    assert "writes first, global data" in judged(image, "load")[1]


def test_two_functions_of_one_name_are_told_apart_by_their_address(made: Made) -> None:
    one = "static __attribute__((noinline, used)) int helper(void) { return 1; }"
    source = f"{one} int a(void) {{ return helper(); }}"
    flags = ["-O1", "-nostdlib"]
    for name, command in (("a.so", ["-shared", "-fPIC"]), ("a.o", ["-r"])):
        file = made(name, [*GCC, *flags, *command], a_c=source, b_c=source.replace("a(", "b("))
        with pytest.raises(ImageError, match=r"2 functions are called helper: 0x.*, 0x") as refused:
            elf.load(file, "helper")
        choice = str(refused.value).rpartition(":")[2]
        image = target.find(f"{file}:{choice}")[0]
        assert image.source == f"{name}:helper@{choice}"
        assert image.entry == image.symbols[f"helper@{choice}"]
        assert target.find(f"{file}:helper@{choice}")[0].entry == image.entry
        with pytest.raises(ImageError, match="no symbol 0x2"):
            elf.load(file, "0x2")


def archived(made: Made, *more: str) -> Path:
    first = made("a_member_with_a_long_name.o", [*GCC, "-O1", "-fPIC", "-c"], a_c=SOURCE)
    text = "static __attribute__((used)) void twice(void) { } void FREE(void) { }"
    text += "void store(long *); void cross(long *o) { store(o); }"
    made("x.o", [*GCC, "-O1", "-c"], x_c=text.replace("FREE", "x"))
    made("y.o", [*GCC, "-O1", "-c"], y_c=text.replace("FREE", "y").replace("cross", "cross_y"))
    (first.parent / "notes.txt").write_text("no code\n")
    members = [first.name, "x.o", "y.o", "notes.txt"]
    command = ["aarch64-linux-gnu-ar", *more, "liball.a", *members]
    subprocess.run(command, cwd=first.parent, check=True)
    return first.parent / "liball.a"


def test_a_static_library_is_searched_for_the_member(made: Made) -> None:
    file = archived(made, "rcs")
    for name in WHOLE:
        image = target.find(f"{file}:{name}")[0]
        assert judged(image) == (RIGHT, "None")
        assert image.source == f"liball.a(a_member_with_a_long_name.o):{name}"
    said = "calls store, which is not in liball.a(x.o):cross"
    assert judged(target.find(f"{file}:cross")[0]) == (UNDECIDED, said)


@pytest.mark.parametrize(
    ("symbol", "said"),
    [
        (":twice", r"twice is in liball.a\(x.o\) and liball.a\(y.o\); take one out with ar x"),
        (":nobody", "no function nobody; it has calls_chosen, calls_other, counts,"),
        ("", "name a symbol, liball.a:SYMBOL; it has calls_chosen,"),
    ],
)
def test_what_a_static_library_cannot_answer(symbol: str, said: str, made: Made) -> None:
    file = archived(made, "rcs")
    with pytest.raises(ImageError, match=said):
        target.find(f"{file}{symbol}")


def test_a_thin_archive_and_a_broken_one_are_refused(made: Made) -> None:
    with pytest.raises(ImageError, match="a thin archive, which holds no code"):
        elf.load(archived(made, "rcsT"), "x")
    file = archived(made, "rcsT")
    file.write_bytes(b"!<arch>\nbroken")
    with pytest.raises(ImageError, match="not a well-formed archive, at byte 8"):
        elf.load(file, "x")


def test_compressed_code_is_refused_before_it_is_unpacked(made: Made) -> None:
    source = '.globl f\nf: ret\n.section .data.big, "aw"\n.zero 65536\n'
    file = made("a.o", [*GCC, "-c"], a_s=source)
    raw = bytearray(file.read_bytes())
    with file.open("rb") as opened:
        parsed = ELFFile(opened)
        number = parsed.get_section_index(".data.big")
        at = parsed["e_shoff"] + number * parsed["e_shentsize"] + 8  # sh_flags
        start = parsed.get_section(number)["sh_offset"]
    raw[at + 1] |= 8  # SHF_COMPRESSED
    struct.pack_into("<IIQQ", raw, start, 1, 0, 1 << 40, 1)  # by zlib, to a terabyte
    file.write_bytes(raw)
    with pytest.raises(ImageError, match="code, data or symbols are compressed"):
        elf.load(file, "f")


@pytest.mark.parametrize("kind", ["object", "shared", "archive"])
def test_every_flipped_byte_is_an_error_or_a_file(kind: str, made: Made) -> None:
    file = {
        "object": lambda: made("a.o", [*GCC, "-O1", "-fPIC", "-fcommon", "-c"], a_c=SOURCE),
        "shared": lambda: made("a.so", [*GCC, "-O1", "-shared", "-fPIC", "-nostdlib"], a_c=SOURCE),
        "archive": lambda: archived(made, "rcs"),
    }[kind]()
    raw = file.read_bytes()
    random_ = random.Random(kind)
    # the headers, and what is read of the sections, are a small part: aim at bytes that are set
    set_ = [at for at, byte in enumerate(raw) if byte]
    for _ in range(300):
        changed = bytearray(raw)
        for at in random_.sample(set_, random_.randrange(1, 6)):
            changed[at] = random_.randrange(256)
        file.write_bytes(changed)
        with contextlib.suppress(ImageError):
            image = elf.load(file, "plt")
            check(image, SPECIFICATIONS["store"], limit=2_000, runs=0)


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ImageError, match=f"{path}: not a regular file"):
            target.find(str(path))


def test_names_from_a_file_reach_no_terminal_as_they_are(made: Made) -> None:
    source = '.globl "a\x1b[31m"\n"a\x1b[31m": b "b\u202e\x1b[0m"\n'
    file = made("a.o", [*GCC, "-c"], a_s=source)
    for name in ("a\x1b[31m", r"a\x1b[31m"):
        image = elf.load(file, name)
        assert image.symbols == {r"a\x1b[31m": BASE}
        assert image.source == r"a.o:a\x1b[31m"
        assert judged(image)[1] == r"calls b\u202e\x1b[0m, which is not in a.o:a\x1b[31m"
    with pytest.raises(ImageError) as refused:
        elf.load(file, "\x1b[2J")
    assert str(refused.value) == rf"{file}: no symbol \x1b[2J; it has a\x1b[31m"


class Scanned(dict[str, int]):
    """Counts how often all of it is looked at."""

    times = 0

    def items(self) -> ItemsView[str, int]:  # type: ignore[override]
        type(self).times += 1
        return super().items()


def test_a_place_is_named_by_the_last_symbol_before_it_without_a_scan() -> None:
    random_ = random.Random(7)
    symbols = {f"f{n}": BASE + 4 * random_.randrange(10, 1000) for n in range(300)}
    image = with_peers(Image(bytes(4000), symbols, "many"))
    image.symbols = Scanned(image.symbols)
    for address in range(BASE, BASE + 4100, 4):
        below = max(((at, name) for name, at in symbols.items() if at <= address), default=None)
        wanted = f"{address:#x}"
        if below and address < image.limit:
            at, name = below
            wanted = name if at == address else f"{name}+{address - at}"
        assert image.symbol_at(address) == wanted
    assert Scanned.times <= 2
    assert image.symbol_at(image.symbols["peer_load"] + 4) == "peer_load+4"
