# SPDX-License-Identifier: MIT
"""Assembly source by a compiler that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from atomics.emulator import elf
from atomics.emulator.assembler.operands import shown
from atomics.emulator.image import Image, ImageError
from atomics.emulator.printable import printable

_COMMANDS = (["aarch64-linux-gnu-gcc"], ["clang", "--target=aarch64-linux-gnu"])
#: richest first; older ones lack what is newer (LSE128, RCPC3), never LSE itself
_ARCHITECTURES = ("armv9.4-a+lse128+rcpc3", "armv9.3-a", "armv9-a", "armv8.4-a", "armv8.1-a")
SECONDS = 60
NAMES = " or ".join(command[0] for command in _COMMANDS)


def command() -> list[str] | None:
    """The first compiler for arm64 that is installed, as a command line, or None."""
    return next((list(one) for one in _COMMANDS if shutil.which(one[0])), None)


def load(compiler: list[str], path: Path, symbol: str | None) -> Image:
    """The image of an assembly file. Raises ImageError."""
    name = printable(str(path))
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / path.name
        try:
            source = os.path.join(os.curdir, path)  # a name that begins with - is no option
            done = _assemble([*compiler, *_richest(*compiler)], source, target)
        except subprocess.TimeoutExpired:
            raise ImageError(f"{name}: {compiler[0]} takes more than {SECONDS} seconds") from None
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "rror" in line]
            said = shown(lines[0]) if lines else f"{name}: failed"
            raise ImageError(f"{said} ({compiler[0]})")
        try:
            image = elf.load(target, symbol)
        except ImageError as error:
            raise ImageError(str(error).replace(printable(str(target)), name)) from None
    image.source = printable(path.name) + (f":{symbol}" if symbol else "")
    return image


def _assemble(compiler: list[str], source: str, target: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*compiler, "-g", "-x", "assembler-with-cpp", "-c", source, "-o", str(target)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        timeout=SECONDS,
    )


@cache
def _richest(*compiler: str) -> tuple[str, ...]:
    """The option for the architecture with the most instructions that a compiler knows."""
    with tempfile.TemporaryDirectory() as folder:
        for name in _ARCHITECTURES:
            option = f"-march={name}"
            if not _assemble([*compiler, option], "-", Path(folder) / "none.o").returncode:
                return (option,)
    return ()
