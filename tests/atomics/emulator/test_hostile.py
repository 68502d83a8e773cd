# SPDX-License-Identifier: MIT
"""Input that is broken or means harm: one clear line, bounded time, and the interpreter lives."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from atomics.emulator import elf, local, target
from atomics.emulator.assembler import assemble
from atomics.emulator.check import UNDECIDED, WRONG, Verdict, check
from atomics.emulator.image import Image, ImageError, from_words
from atomics.emulator.specification import SPECIFICATIONS
from atomics.emulator.unicorn_cpu import UnicornDecoder

SOURCE = """
        .globl one
        .type one, %function
one:    mov x1, #0
        ret
        .size one, .-one
        .globl two
        .type two, %function
two:    b external
        .size two, .-two
"""


def checked(image: Image, spec: str = "load", **more: object) -> Verdict:
    return check(image, SPECIFICATIONS[spec], limit=20_000, **more)  # type: ignore[arg-type]


def reason(text: str, spec: str = "load") -> tuple[str, str]:
    verdict = checked(assemble(text, "hostile.s"), spec, decoder=UnicornDecoder(every=False))
    last = verdict.explored[-1]
    assert last.reason is not None
    return verdict.result, last.reason


@pytest.mark.parametrize(
    ("text", "result", "said"),
    [
        ("1: b 1b\n", WRONG, "loops for ever"),
        ("1: cmp x1, x1\n b.eq 1b\n", WRONG, "loops for ever"),
        ("mov x1, #0\n1: add x1, x1, #1\n b 1b\n", UNDECIDED, "instructions without an access"),
        ("1: ldr x1, [x0]\n b 1b\n", WRONG, "no CPU can finish"),
        ("1: ldr x1, [x0]\n add x2, x2, #1\n b 1b\n", UNDECIDED, "bounded at 20000 states"),
        ("mov x1, #64\n br x1\n", WRONG, "jumps out of the sequence"),
        ("br x0\n", WRONG, "jumps out of the sequence"),
        ("mov x1, #1\n ldr x1, [x1]\n", WRONG, "outside the object and its own memory"),
        ("ldr x1, [x0, #64]\n ret\n", WRONG, "outside the object and its own memory"),
        ("ldr x1, [x0, #12]\n ret\n", WRONG, "reaches past the object"),
        ("adr x1, 1f\n1: str x2, [x1]\n ret\n", WRONG, "writes into the code"),
        ("svc #0\n ret\n", UNDECIDED, "a system call"),
        (".inst 0xd5381000\n ret\n", UNDECIDED, "a system instruction"),
        ("brk #1\n", WRONG, "a breakpoint"),
        (".word 0\n", WRONG, "a permanently undefined word"),
        (".word 0x12345678, 0xdeadbeef\n", UNDECIDED, "sequence+4: Unicorn does not execute"),
        ("ldr x1, [x0]\n nop\n", WRONG, "jumps out"),
        ("sub sp, sp, #32\n ret\n", WRONG, "SP moved"),
        ("mov x20, #1\n ret\n", WRONG, "x20 changed"),
        ("1: sub sp, sp, #16\n str x0, [sp]\n b 1b\n", WRONG, "outside the object"),
        (".inst 0x4c407000\n ret\n", UNDECIDED, "an instruction outside the model"),  # LD1
    ],
)
def test_a_sequence_that_misbehaves_gets_a_verdict(text: str, result: str, said: str) -> None:
    found, line = reason(text)
    assert said in line
    assert found == result


def test_running_off_the_end_is_no_return_unless_it_is_said_to_be() -> None:
    """The words behind the sequence are the peers', which must not be reached by accident."""
    verdict = checked(from_words([0xF9400001]))  # ldr x1, [x0]
    assert verdict.result == WRONG
    assert "jumps out of the sequence" in str(verdict.explored[-1].reason)


def test_random_words_never_crash_the_checker() -> None:
    random_ = random.Random(4)
    for _ in range(300):
        words = [random_.getrandbits(32) for _ in range(random_.randrange(1, 12))]
        verdict = check(
            from_words(words),
            SPECIFICATIONS[random_.choice(["load", "compare_exchange", "fetch_add"])],
            limit=500,
            decoder=UnicornDecoder(every=False),
        )
        assert verdict.result in (WRONG, UNDECIDED)


def test_growing_state_is_bounded_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "ROOM", 5_000)
    for text in ("add x2, x2, #1", "sub sp, sp, #16\n str x1, [sp]"):
        result, line = reason(f"1: ldr x1, [x0]\n {text}\n b 1b\n")
        assert result == UNDECIDED
        assert "states of single CPUs; does a register or the stack grow without end?" in line


def test_work_between_accesses_is_bounded_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "BUDGET", 5_000)
    result, line = reason(
        "1: ldr x1, [x0]\n add x3, x3, #1\n mov x2, #99\n2: subs x2, x2, #1\n b.ne 2b\n b 1b\n"
    )
    assert result == UNDECIDED
    assert line == "5000 instructions executed"


def test_a_sequence_that_is_too_long_is_refused() -> None:
    with pytest.raises(ImageError, match="more than 1 MiB"):
        from_words([0xD503201F] * (1 << 18 | 1))


@pytest.fixture(scope="module")
def object_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("aarch64-linux-gnu-gcc") is None:
        pytest.skip("aarch64-linux-gnu-gcc is not installed")
    folder = tmp_path_factory.mktemp("elf")
    (folder / "two.s").write_text(SOURCE)
    subprocess.run(["aarch64-linux-gnu-gcc", "-c", "two.s", "-o", "two.o"], cwd=folder, check=True)
    return folder / "two.o"


def test_an_object_file_is_read(object_file: Path) -> None:
    image = elf.load(object_file, "one")
    assert [image.word(image.entry + at) for at in (0, 4)] == [0xD2800001, 0xD65F03C0]
    assert image.end == image.entry + 8


@pytest.mark.parametrize(
    ("symbol", "said"),
    [
        (None, "name a symbol, two.o:SYMBOL; it has one, two"),
        ("three", "no symbol three; it has one, two"),
    ],
)
def test_a_missing_symbol_lists_what_there_is(
    object_file: Path, symbol: str | None, said: str
) -> None:
    with pytest.raises(ImageError, match=said):
        elf.load(object_file, symbol)


def test_a_call_to_what_is_not_there_is_named(object_file: Path) -> None:
    verdict = checked(elf.load(object_file, "two"))
    assert verdict.result == UNDECIDED
    assert "calls external, which is not in two.o" in str(verdict.explored[-1].reason)


def found(text: str) -> Image | None:
    """The image, or None where one clear line said why there is none."""
    try:
        return target.find(text)[0]
    except ImageError as error:
        line = str(error)
    assert line
    assert "\n" not in line
    return None


def test_every_truncation_is_an_error_or_a_file(object_file: Path, tmp_path: Path) -> None:
    raw = object_file.read_bytes()
    for length in range(0, len(raw), 7):
        cut = tmp_path / "cut.o"
        cut.write_bytes(raw[:length])
        image = found(f"{cut}:one")
        assert image is None or image.word(image.entry) == 0xD2800001


def test_every_flipped_byte_is_an_error_or_a_file(object_file: Path, tmp_path: Path) -> None:
    raw = bytearray(object_file.read_bytes())
    random_ = random.Random(5)
    for _ in range(400):
        changed = bytearray(raw)
        for _ in range(random_.randrange(1, 6)):
            changed[random_.randrange(len(raw))] = random_.randrange(256)
        file = tmp_path / "flipped.o"
        file.write_bytes(changed)
        image = found(f"{file}:one")
        if image is not None:
            checked(image)


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"", "empty.o", "neither an ELF file nor"),
        (b"\x7fELF", "short.o", "not a well-formed ELF file"),
        (b"hello", "text.bin", "neither an ELF file nor"),
        (b"\xff\xfe", "binary.s", "not text"),
        (b"", "empty.s", "no instructions"),
        (b"12345\n", "words.hex", "no instruction word of 8 hexadecimal digits"),
    ],
)
def test_a_file_that_is_something_else_is_named(
    content: bytes, name: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ImageError, match=said):
        target.find(str(tmp_path / name))


def test_an_elf_of_another_machine_is_refused() -> None:
    import atomics._native

    if Path(atomics._native.__file__).read_bytes()[18:20] != b"\x3e\0":
        pytest.skip("needs a library of x86-64")
    with pytest.raises(ImageError, match="EM_X86_64; little-endian AArch64 is wanted"):
        target.find(atomics._native.__file__)
