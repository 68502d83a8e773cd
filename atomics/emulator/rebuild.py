# SPDX-License-Identifier: MIT
"""``python -P -m atomics.emulator.rebuild CSRC [--check]``: the table of kernels, from the sources.

Compiles every backend's exports and reservation methods with the cross compiler at the level the
library is built with. With --check nothing is written; exit 1 and the names where words differ.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from atomics.emulator import elf, methods
from atomics.emulator.closure import Needs, closure
from atomics.emulator.elf.file import File
from atomics.emulator.methods import Compile

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


def compiler(csrc: Path, folder: Path) -> Compile:
    """Compiles a source for a backend at the level the library is built with, into the folder;
    several at once, if they are different sources."""
    flags_of = backends(csrc)

    def compiled(source: str, backend: str, more: list[str]) -> File:
        target = folder / f"{Path(source).stem}.o"
        subprocess.run(
            [
                COMPILER,
                *FLAGS,
                *flags_of[backend],
                *more,
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
        return elf.functions(target)

    return compiled


def _text(words: list[int]) -> str:
    return " ".join(f"{word:08x}" for word in words)


def of_pairs(every: list[str], compiled: Compile) -> dict[str, str]:
    """The words of the exported operations on pairs."""
    functions = {}
    for backend in every:
        file = compiled("pair/exports.c", backend, [])
        for name in file.ends:
            if name.startswith("dwcas_pair_"):
                with suppress(Needs):
                    functions[name] = _text(closure(file, name))
    return functions


def of_methods(names: list[str], every: list[str], compiled: Compile) -> dict[str, Any]:
    """The table's "methods", "refused" and "functions", for these methods."""
    known: dict[str, dict[str, object]] = {}
    refused, functions = {}, {}

    def one(name: str) -> methods.Method | Needs:
        try:
            return methods.method(name, every, compiled)
        except Needs as reason:
            return reason

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(one, names))
    for name, made in zip(names, found, strict=True):
        if isinstance(made, Needs):
            refused[name] = str(made)
            continue
        known[name] = {
            "links": made.links,
            "state_bytes": made.state_bytes,
            "checked": made.checked,
        }
        for backend, parts in made.words.items():
            for part, words in parts.items():
                functions[f"dwcas_{part}_{name}_{backend}"] = _text(words)
    return {"methods": known, "refused": refused, "functions": functions}


def build(csrc: Path) -> dict[str, Any]:
    """The table, from the sources."""
    every = list(backends(csrc))
    with tempfile.TemporaryDirectory() as folder:
        compiled = compiler(csrc, Path(folder))
        made = of_methods(methods.names(csrc), every, compiled)
        functions = of_pairs(every, compiled) | made["functions"]
    return {
        "compiler": compiler_version(),
        "flags": " ".join(FLAGS),
        "source_sha256": sources_hash(csrc),
        **made,
        "functions": dict(sorted(functions.items())),
    }


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Names that do not stand for the same in both."""
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
    changed = []
    for part in ("methods", "refused", "functions"):
        changed += differences(kept[part], made[part])
    for name in changed:
        print(f"{name}: differs from what {made['compiler']} makes", file=sys.stderr)
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
