# SPDX-License-Identifier: MIT
"""Compiles csrc/pair/exports.c for one backend and reads what the compiler made of each function.

Of a function are kept, in program order, the accesses to the object whose address came in the
first argument, barriers, and "loop" where the last access can be reached from itself.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

CSRC = Path(__file__).parent.parent.parent / "csrc"
OBJECT = {"x86_64": "%rdi", "arm64": "x0"}

#: Words that the disassembler may not know: base -> name, order bits (acquire, release).
LSE128 = {0x19201000: "ldclrp", 0x19203000: "ldsetp", 0x19208000: "swpp"}
RCPC3 = {0xD9401800: "ldiapp", 0xD9001800: "stilp"}


@dataclass(frozen=True)
class Instruction:
    address: int
    mnemonic: str
    operands: str


def backends(architecture: str) -> dict[str, list[str]]:
    """Name -> compiler flags, as backends.def has them."""
    text = (CSRC / "pair" / architecture / "backends.def").read_text()
    rows = re.findall(r'^BACKEND\((\w+),.*"(.*)"\)$', text, re.M)
    return {name: flags.split() for name, flags in rows}


def tool(architecture: str, compiler: str) -> tuple[list[str], str]:
    """The compiler's command and the disassembler; skips, by name, where one is missing."""
    prefix = "" if architecture == "x86_64" else "aarch64-linux-gnu-"
    commands = {
        "gcc": [f"{prefix}gcc"],
        "clang": ["clang", "--target=aarch64-linux-gnu"] if prefix else ["clang"],
    }
    for needed in (commands[compiler][0], f"{prefix}objdump"):
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not installed")
    return commands[compiler], f"{prefix}objdump"


def functions(
    architecture: str, compiler: str, backend: str, optimise: str, folder: Path
) -> dict[str, list[Instruction]]:
    """Function -> instructions of the compiled exports of one backend."""
    command, objdump = tool(architecture, compiler)
    target = folder / "exports.o"
    subprocess.run(
        [
            *command,
            optimise,
            "-std=c11",
            "-fPIC",
            *backends(architecture)[backend],
            f"-I{CSRC}/include",
            f"-I{CSRC}",
            f"-DDWCAS_BACKEND={backend}",
            f'-DDWCAS_BACKEND_HEADER="pair/{architecture}/{backend}.h"',
            "-c",
            f"{CSRC}/pair/exports.c",
            "-o",
            str(target),
        ],
        check=True,
    )
    listing = subprocess.run(
        [objdump, "-d", str(target)], check=True, capture_output=True, text=True
    ).stdout
    found: dict[str, list[Instruction]] = {}
    for line in listing.splitlines():
        if head := re.fullmatch(r"[0-9a-f]+ <(\w+)>:", line):
            found[head[1]] = current = []
        elif parts := re.fullmatch(r"\s*([0-9a-f]+):\t([0-9a-f ]+)\t(\S+)\s*(.*)", line):
            address, raw, mnemonic, operands = parts.groups()
            comment = r"\s*[#<].*" if architecture == "x86_64" else r"\s*(//|;|<).*"
            operands = re.sub(comment, "", operands)
            if mnemonic == "lock":
                mnemonic, _, operands = f"lock {operands.strip()}".rpartition(" ")[0], "", operands
                mnemonic = "lock " + operands.split()[0]
                operands = operands.partition(" ")[2].strip()
            if architecture == "arm64":
                mnemonic, operands = known(int(raw.replace(" ", ""), 16), mnemonic, operands)
            current.append(Instruction(int(address, 16), mnemonic, operands))
    return found


def known(word: int, mnemonic: str, operands: str) -> tuple[str, str]:
    """An LSE128 or RCPC3 instruction decoded from its fields, any other as it is."""
    rt2, rn, rt = word >> 16 & 31, word >> 5 & 31, word & 31
    shown = f"x{rt}, x{rt2}, [x{rn}]"
    if name := LSE128.get(word & 0xFF20FC00):
        order = "a" * (word >> 23 & 1) + "l" * (word >> 22 & 1)
        return name + order, shown
    if name := RCPC3.get(word & 0xFFE0FC00):
        return name, shown
    return mnemonic, operands


def _registers(architecture: str, body: list[Instruction]) -> set[str]:
    """Registers that hold the object's address: the argument and its copies."""
    held = {OBJECT[architecture]}
    for one in body:
        words = [word.strip() for word in one.operands.split(",")]
        if one.mnemonic == "mov" and len(words) == 2:
            source, target = words if architecture == "x86_64" else reversed(words)
            if source in held and re.fullmatch(r"%r\w+|x\d+", target):
                held.add(target)
        elif one.mnemonic == "add" and words[1:] in ([name, "#0x8"] for name in held):
            held.add(words[0])  # the high half
    return held


def _accesses(architecture: str, one: Instruction, held: set[str]) -> str | None:
    """The access to the object or the barrier that an instruction is, or None."""
    if architecture == "x86_64":
        address = re.search(r"\((%\w+)\)", one.operands)
        on_object = address is not None and address[1] in held
        if one.mnemonic.startswith("lock "):
            name = re.sub(r"(?<=or|dd)[lq]$", "", one.mnemonic)
            return name if on_object or "%rsp" in one.operands else None
        if one.mnemonic in ("mfence", "lfence", "sfence"):
            return one.mnemonic
        loads = one.mnemonic in ("mov", "vmovdqa") and on_object
        stores_elsewhere = one.mnemonic == "mov" and one.operands.endswith(")")
        return one.mnemonic if loads and not stores_elsewhere else None
    if one.mnemonic in ("dmb", "dsb", "isb"):
        return f"{one.mnemonic} {one.operands}".strip()
    address = re.search(r"\[(x\d+|sp)", one.operands)
    return one.mnemonic if address is not None and address[1] in held else None


def _successors(body: list[Instruction], index: int) -> list[int]:
    one = body[index]
    if one.mnemonic in ("ret", "retq"):
        return []
    branch = re.match(r"(?:j\w+|b|b\.\w+|cbn?z|tbn?z)$", one.mnemonic)
    following = [] if one.mnemonic in ("jmp", "b") else [index + 1]
    if branch:
        target = int(re.findall(r"\b([0-9a-f]+)\s*$", one.operands)[0], 16)
        following += [n for n, other in enumerate(body) if other.address == target]
    return [n for n in following if n < len(body)]


def _repeats(body: list[Instruction], index: int) -> bool:
    seen: set[int] = set()
    todo = _successors(body, index)
    while todo:
        here = todo.pop()
        if here == index:
            return True
        if here not in seen:
            seen.add(here)
            todo += _successors(body, here)
    return False


def significant(architecture: str, body: list[Instruction]) -> tuple[str, ...]:
    """Accesses to the object and barriers in program order, and "loop"."""
    held = _registers(architecture, body)
    found = [(n, _accesses(architecture, one, held)) for n, one in enumerate(body)]
    kept = [(n, name) for n, name in found if name is not None]
    names = tuple(name for _, name in kept)
    return (*names, "loop") if kept and _repeats(body, kept[-1][0]) else names


def between_exclusives(body: list[Instruction]) -> list[Instruction]:
    """What stands between a load-exclusive and the next store-exclusive."""
    inside: list[Instruction] = []
    open_ = False
    for one in body:
        if re.fullmatch(r"ld(a)?x[rp]", one.mnemonic):
            open_ = True
        elif re.fullmatch(r"st(l)?x[rp]", one.mnemonic):
            open_ = False
        elif open_:
            inside.append(one)
    return inside
