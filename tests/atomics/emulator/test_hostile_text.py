# SPDX-License-Identifier: MIT
"""Source and words that are broken or mean harm: exit code 2 and one line that names the file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pytest

from atomics.emulator import assembler, target, text_file
from atomics.emulator.assembler import AssemblyError, assemble, installed
from atomics.emulator.image import ImageError

COMMAND = [sys.executable, "-P", "-m", "atomics", "check", "--spec", "load"]


def refused(folder: Path, file: Path | bytes) -> str:
    """The one line of ``atomics check`` for a file, with no compiler to fall back to."""
    done = subprocess.run(
        [*COMMAND, file],
        cwd=folder,
        env={**os.environ, "PATH": str(folder)},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=60,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 500
    return done.stderr


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _binary(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00\x80")


def _large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(text_file.LARGEST + 1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (_device, "not a regular file"),
        (os.mkfifo, "not a regular file"),
        (Path.mkdir, "not a regular file"),
        (_binary, "not text in UTF-8"),
        (_large, "more than 16 MiB of text"),
    ],
)
def test_what_is_no_text_file(make: Callable[[Path], None], said: str, tmp_path: Path) -> None:
    source, words = tmp_path / "hostile.s", tmp_path / "hostile.hex"
    make(source)
    assert f"{source}: {said}" in refused(tmp_path, source)
    make(words)
    with pytest.raises(ImageError, match=said):
        target.find(str(words))


@pytest.mark.parametrize(
    "text",
    [
        "add x0, x1, #{}",
        "add x0, x1, x2, lsl #{}",
        "ldr x0, [x1, #-{}]",
        "tbz x0, #1, .+{}",
        ".word {}",
        ".p2align {}",
        "{0}b: b {0}b",
        "mov x{}, #0",
    ],
)
def test_a_number_of_5000_digits(text: str) -> None:
    with pytest.raises(AssemblyError, match=r"^digits\.s:2: .*1111\.\.\.") as error:
        assemble(f"nop\n{text.format('1' * 5000)}\n", "digits.s")
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("add x0, x1, #\u0661", "not ASCII"),  # a digit, to Python
        ("br\u212a #1", "not ASCII"),  # the sign of Kelvin, k in lower case
        ("b \x1b[2Jx", r"\\x1b\[2Jx"),
        (".word \u0661", "a number of 32 bits is wanted"),
    ],
)
def test_letters_that_are_none_here(text: str, said: str) -> None:
    with pytest.raises(AssemblyError, match=said):
        assemble(f"{text}\n", "letters.s")


@pytest.mark.parametrize(
    "text",
    [
        "/*" * 1_000_000,
        "1:" * 1_000_000 + "frob",
        ".word " + "1," * 1_000_000,
        "1: b 1b\n" * 200_000 + "frob",
        "nop; .balign 4096\n" * 1_000_000,
        "and x0, x1, #5\n" + "and x0, x1, #6\n" * 1_000,
    ],
    ids=lambda text: text[:10],
)
def test_time_grows_with_the_length_of_the_text(text: str) -> None:
    start = perf_counter()
    with pytest.raises((AssemblyError, ImageError)):
        assemble(text, "long.s")
    assert perf_counter() - start < 30  # with a square in it this takes hours


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xffname"
    Path(os.fsdecode(name + b".s")).write_text("nop\nfrob\n")
    Path(os.fsdecode(name + b".hex")).write_text("d65f03c0")
    assert "\\xffname.s:2: frob: not an instruction" in refused(tmp_path, name + b".s")
    image, _ = target.find(os.fsdecode(name + b".hex"))
    assert image.source == "\\xffname.hex"


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="File name too long"):
        target.find("x" * 5000)


@pytest.mark.parametrize("command", installed._COMMANDS, ids=lambda command: command[0])
def test_the_installed_compiler(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets what ours cannot: macros, here with instructions that its default does not have."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    monkeypatch.chdir(tmp_path)
    path = Path(os.fsdecode(b"-\xff.s"))
    path.write_text(".macro m\ncaspal x0, x1, x2, x3, [x4]\nldapr x0, [x4]\n.endm\nf: m\nret\n")
    with pytest.raises(AssemblyError, match=r"\.macro"):
        assemble(path.read_text(), path.name)
    image = installed.load(command, path, "f")
    assert [image.word(image.entry + at) for at in (0, 4, 8)] == [
        0x4860FC82, 0xF8BFC080, 0xD65F03C0,
    ]  # fmt: skip
    assert image.source == "-\\xff.s:f"
    path.write_text("nop\nfrob \x1b[31m\n")
    with pytest.raises(ImageError, match=r":2:.*[Ee]rror") as error:
        installed.load(command, path, None)
    assert str(error.value).isprintable()
    path.write_text(".macro m\n.endm\n")
    with pytest.raises(ImageError) as error:
        installed.load(command, path, None)
    assert str(error.value).startswith("-\\xff.s: ")


def test_what_is_certainly_wrong_stays_an_error(tmp_path: Path) -> None:
    """Whether or not there is another assembler to ask."""
    path = tmp_path / "wrong.s"
    path.write_text("nop\nadd x4, xzr, #1\n")
    with pytest.raises(ImageError, match=r"wrong\.s:2:"):
        assembler.load(path, None)
