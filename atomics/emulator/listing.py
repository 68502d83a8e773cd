# SPDX-License-Identifier: MIT
"""Words as text: by Capstone; LSE128 and RCPC3, which it lacks, by us."""

from __future__ import annotations

import capstone

from atomics.emulator.arm64.registers import field, signed

_CAPSTONE = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
_LSE128 = {0x19201000: "ldclrp", 0x19203000: "ldsetp", 0x19208000: "swpp"}


def _register(number: int, letter: str = "x") -> str:
    return f"{letter}{number}" if number < 31 else f"{letter}zr"


def _ours(word: int) -> str | None:
    t, t2, n = field(word, 4, 0), field(word, 20, 16), field(word, 9, 5)
    base = "sp" if n == 31 else f"x{n}"
    if name := _LSE128.get(word & 0xFF20FC00):
        order = "a" * (word >> 23 & 1) + "l" * (word >> 22 & 1)
        return f"{name}{order} {_register(t)}, {_register(t2)}, [{base}]"
    if word & 0xBFA0EC00 == 0x99000800:
        letter, each = ("x", 8) if word >> 30 & 1 else ("w", 4)
        loads = word >> 22 & 1
        registers = f"{_register(t, letter)}, {_register(t2, letter)}"
        if word >> 12 & 1:
            where = f"[{base}]"
        else:
            where = f"[{base}], #{2 * each}" if loads else f"[{base}, #-{2 * each}]!"
        return f"{'ldiapp' if loads else 'stilp'} {registers}, {where}"
    return None


def text(word: int, address: int) -> str:
    """One instruction; branch targets as ``.+8`` so that they can be read without addresses."""
    ours = _ours(word)
    if ours is not None:
        return ours
    for _, _, mnemonic, operands in _CAPSTONE.disasm_lite(word.to_bytes(4, "little"), address):
        return _relative(word, address, f"{mnemonic} {operands}".strip())
    return f".inst {word:#010x}"


def _relative(word: int, address: int, shown: str) -> str:
    if word >> 26 & 0x1F == 5:
        offset = signed(field(word, 25, 0), 26) << 2
    elif word >> 24 == 0x54 or word >> 25 & 0x3F == 0x1A:
        offset = signed(field(word, 23, 5), 19) << 2
    elif word >> 25 & 0x3F == 0x1B:
        offset = signed(field(word, 18, 5), 14) << 2
    else:
        return shown
    return shown.replace(f"#{address + offset:#x}", f".{offset:+d}")
