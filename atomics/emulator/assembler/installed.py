# SPDX-License-Identifier: MIT
"""Assembly source by a compiler that is installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from atomics.emulator import elf
from atomics.emulator.image import Image, ImageError

_COMMANDS = (["aarch64-linux-gnu-gcc"], ["clang", "--target=aarch64-linux-gnu"])
SECONDS = 60
NAMES = " or ".join(command[0] for command in _COMMANDS)


def command() -> list[str] | None:
    """The first compiler for arm64 that is installed, as a command line, or None."""
    return next((list(one) for one in _COMMANDS if shutil.which(one[0])), None)


def load(compiler: list[str], path: Path, symbol: str | None) -> Image:
    """The image of an assembly file. Raises ImageError."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / f"{path.stem}.o"
        try:
            done = subprocess.run(
                [*compiler, "-x", "assembler-with-cpp", "-c", str(path), "-o", str(target)],
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise ImageError(f"{path}: {compiler[0]} takes more than {SECONDS} seconds") from None
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "rror" in line] or ["failed"]
            raise ImageError(f"{lines[0]} ({compiler[0]})")
        image = elf.load(target, symbol)
    image.source = path.name + (f":{symbol}" if symbol else "")
    return image
