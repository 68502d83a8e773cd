# SPDX-License-Identifier: MIT
"""``python -P -m atomics.emulator.rebuild CSRC [--check]``: the table of kernels, from the sources.

Compiles every backend's exports and reservation methods with the cross compiler at the level the
library is built with. With --check nothing is written; exit 1 and the names where words differ.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from atomics.emulator import elf
from atomics.emulator.image import BASE, Image
from atomics.emulator.kernels import METHODS

COMPILER = "aarch64-linux-gnu-gcc"
FLAGS = ("-O2", "-std=c11", "-D_GNU_SOURCE", "-fPIC")
TABLE = Path(__file__).with_name("kernels.json")


def backends(csrc: Path) -> dict[str, list[str]]:
    """Backend -> compiler flags, as backends.def has them."""
    text = (csrc / "pair" / "arm64" / "backends.def").read_text(encoding="utf-8")
    return {
        name: flags.split()
        for name, flags in re.findall(r'^BACKEND\((\w+),.*"(.*)"\)$', text, re.M)
    }


def sources_hash(csrc: Path) -> str:
    """sha256 over every file that can reach the words, by path and content."""
    folders = ("include", "pair/arm64", "wal", "locks")
    files = {path for folder in folders for path in (csrc / folder).rglob("*.[chd]*")}
    files |= set((csrc / "pair").glob("*.[ch]"))
    digest = hashlib.sha256()
    for path in sorted(files):
        if path.is_file():
            digest.update(path.relative_to(csrc).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def compiler_version() -> str:
    """First line of what the cross compiler says of itself. Raises FileNotFoundError."""
    shown = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True)
    return shown.stdout.splitlines()[0]


def _compile(csrc: Path, backend: str, flags: list[str], source: str, target: Path) -> None:
    subprocess.run(
        [
            COMPILER,
            *FLAGS,
            *flags,
            f"-I{csrc}/include",
            f"-I{csrc}",
            f"-DDWCAS_BACKEND={backend}",
            f'-DDWCAS_BACKEND_HEADER="pair/arm64/{backend}.h"',
            "-c",
            str(csrc / source),
            "-o",
            str(target),
        ],
        check=True,
    )


def _words(image: Image) -> str | None:
    """The words of the entry's symbol; None if it needs something outside itself."""
    assert image.end is not None
    raw = image.code[image.entry - BASE : image.end - BASE]
    words = [int.from_bytes(raw[at : at + 4], "little") for at in range(0, len(raw), 4)]
    for at, word in enumerate(words):
        if word >> 26 & 0x1F == 5:  # B, BL
            offset = (word & 0x3FFFFFF) - (word >> 25 & 1) * (1 << 26)
            if not 0 <= at + offset < len(words):
                return None
        if word >> 24 & 0x1F == 0x10:  # ADR, ADRP: data elsewhere
            return None
    return " ".join(f"{word:08x}" for word in words)


def build(csrc: Path) -> dict[str, object]:
    """The table, from the sources."""
    functions: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "one.o"
        for backend, flags in backends(csrc).items():
            _compile(csrc, backend, flags, "pair/exports.c", target)
            file = elf.functions(target)
            for name in file.ends:
                words = _words(file.image(name))
                if name.startswith("dwcas_pair_") and words is not None:
                    functions[name] = words
            for method in METHODS:
                _compile(csrc, backend, flags, f"wal/methods/{method}.c", target)
                file = elf.functions(target)
                for name in file.ends:
                    part = re.search(r"_(start|finish)$", name)
                    known = f"dwcas_{part[1]}_{method}_{backend}" if part else name
                    words = _words(file.image(name))
                    if re.match("dwcas_(reserve|start|finish)_", known) and words is not None:
                        functions[known] = words
    return {
        "compiler": compiler_version(),
        "flags": " ".join(FLAGS),
        "source_sha256": sources_hash(csrc),
        "functions": dict(sorted(functions.items())),
    }


def differences(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """Names whose words are not the same in both."""
    return sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))


def main(arguments: list[str]) -> int:
    if len(arguments) not in (1, 2) or (len(arguments) == 2 and arguments[1] != "--check"):
        print("usage: python -P -m atomics.emulator.rebuild CSRC [--check]", file=sys.stderr)
        return 2
    made = build(Path(arguments[0]))
    if len(arguments) == 1:
        TABLE.write_text(json.dumps(made, indent=0) + "\n", encoding="utf-8")
        return 0
    kept = json.loads(TABLE.read_text(encoding="utf-8"))
    changed = differences(kept["functions"], made["functions"])  # type: ignore[arg-type]
    for name in changed:
        print(f"{name}: words differ from those of {made['compiler']}", file=sys.stderr)
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
