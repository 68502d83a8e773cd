# SPDX-License-Identifier: MIT
"""Statements of integer A64 to words: what hand-written atomics and their callers are made of.

One function per encoding group; ``ENCODERS`` maps mnemonics to them. Source: Arm DDI 0487, C4.1.
Vectors, system registers but NZCV, and expressions are left to an installed assembler.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from atomics.emulator.arm64.alu import bit_masks
from atomics.emulator.assembler.operands import (
    CONDITIONS,
    EXTENDS,
    SHIFTS,
    Address,
    AssemblyError,
    Register,
    address,
    condition,
    modifier,
    number,
    register,
)

Resolve = Callable[[str], int]  #: label -> its offset from this statement in bytes
Encoder = Callable[[str, list[str], Resolve], int]
ENCODERS: dict[str, Encoder] = {}


def _for(*names: str) -> Callable[[Encoder], Encoder]:
    def note(encoder: Encoder) -> Encoder:
        for name in names:
            ENCODERS[name] = encoder
        return encoder

    return note


def _count(given: list[str], wanted: str, *counts: int) -> None:
    if len(given) not in counts:
        raise AssemblyError(f"{', '.join(given) or 'no operand'}: {wanted} wanted")


def _register(text: str, kind: str = "r") -> Register:
    """A register of that kind: x, w, or another letter for both; a capital: 31 is SP, not zero."""
    found = register(text)
    if found is None:
        raise AssemblyError(f"{text}: a register is wanted")
    if found.number == 31 and found.stack != kind.isupper():
        other = "sp, not the zero register" if kind.isupper() else "the zero register, not sp"
        raise AssemblyError(f"{text}: no register that can stand here; 31 is {other}")
    if kind.lower() == ("w" if found.wide else "x"):
        raise AssemblyError(f"{text}: a register of the kind {kind.lower()} is wanted")
    return found


def _registers(texts: list[str], kinds: str) -> list[Register]:
    """One register of each kind; those of the kind r are all x or all w, d is either."""
    _count(texts, f"{len(kinds)} registers are", len(kinds))
    found = [_register(*each) for each in zip(texts, kinds, strict=True)]
    if len({one.wide for one, kind in zip(found, kinds, strict=True) if kind in "rR"}) > 1:
        raise AssemblyError(f"{', '.join(texts)}: x and w registers are mixed")
    return found


def _number(text: str, low: int, high: int) -> int:
    value = number(text)
    if value is None or not low <= value <= high:
        raise AssemblyError(f"{text}: a number from {low} to {high} is wanted")
    return value


def _sf(one: Register) -> int:
    return int(one.wide) << 31


def _bits_of(one: Register) -> int:
    return 64 if one.wide else 32


def _label(text: str, resolve: Resolve, bits: int) -> int:
    """A branch offset in words of that many bits."""
    offset = resolve(text)
    if offset % 4 or not -(1 << bits + 1) <= offset < 1 << bits + 1:
        raise AssemblyError(f"{text}: too far or not aligned")
    return offset >> 2 & (1 << bits) - 1


# Arithmetic and logic.

_ARITHMETIC = {"add": 0, "adds": 1, "sub": 2, "subs": 3}
_LOGIC = {"and": 0, "orr": 1, "eor": 2, "ands": 3}
_INVERTED = {"bic": 0, "orn": 1, "eon": 2, "bics": 3}


@_for(*_ARITHMETIC)
def _arithmetic(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "a target and two operands are", 3, 4)
    op = _ARITHMETIC[name] << 29
    kinds = "rR" if name.endswith("s") else "RR"  # in two of the three forms 31 is SP
    if number(given[2]) is not None:
        d, n = _registers(given[:2], kinds)
        return _sf(d) | op ^ _arithmetic_number(given[2:]) | n.number << 5 | d.number
    kind, amount = modifier(given[3]) if len(given) == 4 else ("", None)
    if kind in EXTENDS or (_any_stack(given[:2]) and kind in ("", "lsl")):
        d, n = _registers(given[:2], kinds)
        word = _sf(d) | op | _extended(given[2], kind, amount, d)
    else:
        d, n, m = _registers(given[:3], "rrr")
        if kind == "ror":
            raise AssemblyError(f"{given[3]}: lsl, lsr or asr is wanted")
        word = _sf(d) | op | 0x0B000000 | m.number << 16 | _shift(kind, amount, d)
    return word | n.number << 5 | d.number


def _any_stack(texts: list[str]) -> bool:
    return any(one is not None and one.stack for one in map(register, texts))


def _extended(text: str, kind: str, amount: int | None, d: Register) -> int:
    """A register with its extension, in place; LSL stands for that of the whole register."""
    option = EXTENDS.index(kind) if kind in EXTENDS else 3 if d.wide else 2
    m = _register(text, "x" if d.wide and option & 3 == 3 else "w")
    if not 0 <= (amount or 0) <= 4 or (kind == "lsl" and amount is None):
        raise AssemblyError(f"{kind} {amount}: an extension shifts by 0 to 4")
    return 0x0B200000 | m.number << 16 | option << 13 | (amount or 0) << 10


def _arithmetic_number(given: list[str]) -> int:
    """A number and perhaps its shift, in place; a negative one turns ADD into SUB."""
    value, negative, shift = number(given[0]) or 0, 0, 0
    if value < 0:
        value, negative = -value, 1 << 30
    if len(given) == 2:
        if modifier(given[1]) not in (("lsl", 0), ("lsl", 12)):
            raise AssemblyError(f"{given[1]}: lsl #0 or lsl #12")
        shift = int(modifier(given[1])[1] == 12)
    elif value > 0xFFF and value & 0xFFF == 0:
        shift, value = 1, value >> 12
    if value > 0xFFF:
        raise AssemblyError(f"{given[0]}: 0 to 4095, or that times 4096")
    return 0x11000000 | negative | shift << 22 | value << 10


def _shift(kind: str, amount: int | None, d: Register) -> int:
    if not kind:
        return 0
    if amount is None or not 0 <= amount < _bits_of(d):
        raise AssemblyError(f"{kind} {amount}: 0 to {_bits_of(d) - 1} is wanted")
    return SHIFTS.index(kind) << 22 | amount << 10


def _fits(value: int, bits: int) -> bool:
    """Whether a number, signed or not, loses nothing in so many bits."""
    return -(1 << bits - 1) <= value < 1 << bits


def _bit_mask(value: int, wide: bool) -> int | None:
    """N, immr, imms in place for a logical immediate; None if there is none."""
    bits = 64 if wide else 32
    return _bit_masks(bits).get(value & (1 << bits) - 1) if _fits(value, bits) else None


@cache
def _bit_masks(bits: int) -> dict[int, int]:
    """Every logical immediate of that width with its N, immr, imms in place."""
    found = {}
    for size in (2, 4, 8, 16, 32, 64)[: 6 if bits == 64 else 5]:
        n = int(size == 64)
        for ones in range(1, size):
            imms = (~(size * 2 - 1) & 63 if size < 64 else 0) | ones - 1
            for rotate in range(size):
                masks = bit_masks(n, imms, rotate, bits)
                assert masks is not None  # no reserved value is made here
                found[masks[0]] = n << 22 | rotate << 16 | imms << 10
    return found


@_for(*_LOGIC, *_INVERTED)
def _logic(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "a target and two operands are", 3, 4)
    if number(given[2]) is not None:
        return _logic_number(name, given)
    d, n, m = _registers(given[:3], "rrr")
    kind, amount = modifier(given[3]) if len(given) == 4 else ("", None)
    if kind in EXTENDS:
        raise AssemblyError(f"{given[3]}: a shift is wanted")
    op = (_LOGIC | _INVERTED)[name] << 29 | int(name in _INVERTED) << 21
    word = _sf(d) | op | 0x0A000000 | m.number << 16 | _shift(kind, amount, d)
    return word | n.number << 5 | d.number


def _logic_number(name: str, given: list[str]) -> int:
    """The forms with an immediate; BIC has none and stands for AND of the inverse."""
    if name in _INVERTED and name != "bic":
        raise AssemblyError(f"{given[2]}: {name} has no immediate")
    d, n = _registers(given[:2], "rr" if name == "ands" else "Rr")
    value = number(given[2]) or 0
    mask = _bit_mask(~value if name == "bic" else value, d.wide)
    if mask is None or len(given) != 3:
        raise AssemblyError(f"{given[2]}: no logical immediate")
    op = _LOGIC["and" if name == "bic" else name] << 29
    return _sf(d) | op | 0x12000000 | mask | n.number << 5 | d.number


def _zero(like: str) -> str:
    one = register(like)
    return "xzr" if one is None or one.wide else "wzr"


@_for("cmp", "cmn", "tst")
def _compare(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "two operands and perhaps a shift are", 2, 3)
    real = {"cmp": "subs", "cmn": "adds", "tst": "ands"}[name]
    return ENCODERS[real](real, [_zero(given[0]), *given], resolve)


@_for("neg", "negs", "mvn", "ngc", "ngcs")
def _negate(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "two registers and perhaps a shift are", 2, 3)
    _registers(given[:2], "rr")
    if len(given) == 3 and modifier(given[2])[0] in EXTENDS:
        raise AssemblyError(f"{given[2]}: a shift is wanted")
    real = {"neg": "sub", "negs": "subs", "mvn": "orn", "ngc": "sbc", "ngcs": "sbcs"}[name]
    return ENCODERS[real](real, [given[0], _zero(given[0]), *given[1:]], resolve)


@_for("mov")
def _move(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "a target and a source are", 2)
    value, zero = number(given[1]), _zero(given[0])
    stacks = _any_stack(given)
    if value is None and stacks:
        return _arithmetic("add", [*given, "#0"], resolve)
    if value is None or stacks:
        return _logic("orr", [given[0], zero, given[1]], resolve)
    d = _register(given[0])
    bits = _bits_of(d)
    if not _fits(value, bits):
        raise AssemblyError(f"{given[1]}: does not fit into {given[0]}, {bits} bits")
    for op, wanted in ((2, value), (0, ~value)):
        wanted &= (1 << bits) - 1
        for hw in range(bits // 16):
            if wanted & ~(0xFFFF << 16 * hw) == 0:
                imm = wanted >> 16 * hw
                return _sf(d) | op << 29 | 0x12800000 | hw << 21 | imm << 5 | d.number
    if _bit_mask(value, d.wide) is None:
        raise AssemblyError(f"{given[1]}: one mov cannot load it; use movz and movk")
    return _logic_number("orr", [given[0], zero, given[1]])


@_for("movz", "movn", "movk")
def _move_wide(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "a register, a number, and perhaps a shift are", 2, 3)
    d, value, shift = _register(given[0]), _number(given[1], 0, 0xFFFF), 0
    if len(given) == 3:
        kind, amount = modifier(given[2])
        if kind != "lsl" or amount not in (0, 16, 32, 48)[: 4 if d.wide else 2]:
            raise AssemblyError(f"{given[2]}: lsl by 0, 16, 32 or 48")
        shift = amount // 16
    op = {"movn": 0, "movz": 2, "movk": 3}[name]
    return _sf(d) | op << 29 | 0x12800000 | shift << 21 | value << 5 | d.number


def _bit_field(op: int, d: Register, n: int, immr: int, imms: int) -> int:
    word = _sf(d) | int(d.wide) << 22 | op << 29 | 0x13000000
    return word | immr << 16 | imms << 10 | n << 5 | d.number


@_for("lsl", "lsr", "asr", "ror")
def _shift_by(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "two registers and by how much are", 3)
    if number(given[2]) is None:
        d, n, m = _registers(given, "rrr")
        kind = SHIFTS.index(name)
        return _sf(d) | 0x1AC02000 | m.number << 16 | kind << 10 | n.number << 5 | d.number
    d, n = _registers(given[:2], "rr")
    bits = _bits_of(d)
    amount = _number(given[2], 0, bits - 1)
    if name == "ror":
        word = _sf(d) | int(d.wide) << 22 | 0x13800000
        return word | n.number << 16 | amount << 10 | n.number << 5 | d.number
    if name == "lsl":
        return _bit_field(2, d, n.number, -amount % bits, bits - 1 - amount)
    return _bit_field(2 if name == "lsr" else 0, d, n.number, amount, bits - 1)


@_for("extr")
def _extract(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "three registers and a bit are", 4)
    d, n, m = _registers(given[:3], "rrr")
    amount = _number(given[3], 0, _bits_of(d) - 1)
    word = _sf(d) | int(d.wide) << 22 | 0x13800000
    return word | m.number << 16 | amount << 10 | n.number << 5 | d.number


@_for("ubfx", "sbfx", "bfxil", "ubfiz", "sbfiz", "bfi")
def _bits(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "two registers and two numbers are", 4)
    d, n = _registers(given[:2], "rr")
    bits = _bits_of(d)
    low = _number(given[2], 0, bits - 1)
    width = _number(given[3], 1, bits - low)
    op = 2 if name[0] == "u" else 0 if name[0] == "s" else 1
    if name in ("ubfiz", "sbfiz", "bfi"):
        return _bit_field(op, d, n.number, -low % bits, width - 1)
    return _bit_field(op, d, n.number, low, low + width - 1)


@_for("uxtb", "uxth", "sxtb", "sxth", "sxtw")
def _extend(name: str, given: list[str], resolve: Resolve) -> int:
    d, n = _registers(given, {"u": "ww", "s": "xw" if name == "sxtw" else "dw"}[name[0]])
    top = {"b": 7, "h": 15, "w": 31}[name[3]]
    return _bit_field(2 if name[0] == "u" else 0, d, n.number, 0, top)


@_for("adc", "adcs", "sbc", "sbcs")
def _carry(name: str, given: list[str], resolve: Resolve) -> int:
    d, n, m = _registers(given, "rrr")
    op = {"adc": 0, "adcs": 1, "sbc": 2, "sbcs": 3}[name]
    return _sf(d) | op << 29 | 0x1A000000 | m.number << 16 | n.number << 5 | d.number


@_for("ccmp", "ccmn")
def _conditional_compare(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "two operands, flags and a condition are", 4)
    n, value = _register(given[0]), number(given[1])
    second = _registers(given[:2], "rr")[1].number if value is None else _number(given[1], 0, 31)
    word = _sf(n) | int(name == "ccmp") << 30 | 0x3A400000 | int(value is not None) << 11
    flags = _number(given[2], 0, 15)
    return word | second << 16 | condition(given[3]) << 12 | n.number << 5 | flags


_SELECTS = {"csel": (0, 0), "csinc": (0, 1), "csinv": (1, 0), "csneg": (1, 1)}
_SELECT_ALIASES = {"cinc": "csinc", "cinv": "csinv", "cneg": "csneg"}


@_for(*_SELECTS)
def _select(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "three registers and a condition are", 4)
    d, n, m = _registers(given[:3], "rrr")
    op, increment = _SELECTS[name]
    word = _sf(d) | op << 30 | 0x1A800000 | increment << 10 | m.number << 16
    return word | condition(given[3]) << 12 | n.number << 5 | d.number


def _inverted(text: str) -> str:
    """The opposite of a condition; those that always hold have none."""
    found = condition(text)
    if found >= CONDITIONS.index("al"):
        raise AssemblyError(f"{text}: a condition with an opposite is wanted")
    return CONDITIONS[found ^ 1]


@_for(*_SELECT_ALIASES)
def _select_alias(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "two registers and a condition are", 3)
    both = [given[0], given[1], given[1], _inverted(given[2])]
    return _select(_SELECT_ALIASES[name], both, resolve)


@_for("cset", "csetm")
def _set(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "a register and a condition are", 2)
    zero = _zero(given[0])
    real = "csinc" if name == "cset" else "csinv"
    return _select(real, [given[0], zero, zero, _inverted(given[1])], resolve)


_ONE = {"rbit": 0, "rev16": 1, "rev32": 2, "clz": 4, "cls": 5}


@_for(*_ONE, "rev")
def _one_source(name: str, given: list[str], resolve: Resolve) -> int:
    d, n = _registers(given, "xx" if name == "rev32" else "rr")
    op = _ONE.get(name, 3 if d.wide else 2)
    return _sf(d) | 0x5AC00000 | op << 10 | n.number << 5 | d.number


@_for("udiv", "sdiv")
def _divide(name: str, given: list[str], resolve: Resolve) -> int:
    d, n, m = _registers(given, "rrr")
    return (
        _sf(d) | 0x1AC00800 | int(name == "sdiv") << 10 | m.number << 16 | n.number << 5 | d.number
    )


_PRODUCTS = {"madd": 0, "msub": 0x8000, "mul": 0, "mneg": 0x8000}
_WIDENING = {
    "smaddl": 0x200000, "smull": 0x200000, "smsubl": 0x208000, "smnegl": 0x208000,
    "umaddl": 0xA00000, "umull": 0xA00000, "umsubl": 0xA08000, "umnegl": 0xA08000,
}  # fmt: skip


@_for(*_PRODUCTS)
def _multiply(name: str, given: list[str], resolve: Resolve) -> int:
    short = name in ("mul", "mneg")
    d, n, m, *rest = _registers(given, "rrr" if short else "rrrr")
    a = rest[0].number if rest else 31
    word = _sf(d) | 0x1B000000 | _PRODUCTS[name] | m.number << 16
    return word | a << 10 | n.number << 5 | d.number


@_for(*_WIDENING, "smulh", "umulh")
def _multiply_wide(name: str, given: list[str], resolve: Resolve) -> int:
    kinds = "xxx" if name.endswith("h") else "xwwx" if name[1:] in ("maddl", "msubl") else "xww"
    d, n, m, *rest = _registers(given, kinds)
    a = rest[0].number if rest else 31
    kind = _WIDENING.get(name, 0x400000 if name == "smulh" else 0xC00000)
    return 0x9B000000 | kind | m.number << 16 | a << 10 | n.number << 5 | d.number


# Branches and barriers.


@_for("b", "bl")
def _branch(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "a label is", 1)
    return (0x94000000 if name == "bl" else 0x14000000) | _label(given[0], resolve, 26)


def _branch_if(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "a label is", 1)
    return 0x54000000 | _label(given[0], resolve, 19) << 5 | condition(name.split(".")[1])


@_for("cbz", "cbnz")
def _branch_zero(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "a register and a label are", 2)
    t = _register(given[0])
    word = _sf(t) | 0x34000000 | int(name == "cbnz") << 24
    return word | _label(given[1], resolve, 19) << 5 | t.number


@_for("tbz", "tbnz")
def _branch_bit(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "a register, a bit and a label are", 3)
    t = _register(given[0])
    bit = _number(given[1], 0, _bits_of(t) - 1)
    word = 0x36000000 | int(name == "tbnz") << 24 | bit >> 5 << 31 | (bit & 31) << 19
    return word | _label(given[2], resolve, 14) << 5 | t.number


@_for("br", "blr", "ret")
def _branch_register(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "one x register is", *((0, 1) if name == "ret" else (1,)))
    n = _register(given[0], "x").number if given else 30
    return {"br": 0xD61F0000, "blr": 0xD63F0000, "ret": 0xD65F0000}[name] | n << 5


_PLAIN = {
    "nop": 0xD503201F, "yield": 0xD503203F, "wfe": 0xD503205F, "wfi": 0xD503207F,
    "sev": 0xD503209F, "sevl": 0xD50320BF, "paciasp": 0xD503233F, "autiasp": 0xD50323BF,
    "sb": 0xD50330FF,
}  # fmt: skip
_BARRIERS = {
    "oshld": 1, "oshst": 2, "osh": 3, "nshld": 5, "nshst": 6, "nsh": 7,
    "ishld": 9, "ishst": 10, "ish": 11, "ld": 13, "st": 14, "sy": 15,
}  # fmt: skip


@_for(*_PLAIN)
def _plain(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "none is", 0)
    return _PLAIN[name]


@_for("clrex", "dmb", "dsb", "isb")
def _barrier(name: str, given: list[str], resolve: Resolve) -> int:
    needed = name in ("dmb", "dsb")
    _count(given, "a domain such as ish is" if needed else "at most one is", 1, int(needed))
    known = _BARRIERS if needed else {"sy": 15} if name == "isb" else {}
    domain = 15
    if given:
        named = known.get(given[0].lower())
        domain = _number(given[0], 0, 15) if named is None else named
    return {"clrex": 0xD503305F, "dsb": 0xD503309F, "dmb": 0xD50330BF, "isb": 0xD50330DF}[
        name
    ] | domain << 8


@_for("bti")
def _landing(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "at most one is", 0, 1)
    kinds = {"": 0, "c": 1, "j": 2, "jc": 3}
    kind = given[0].lower() if given else ""
    if kind not in kinds:
        raise AssemblyError("c, j, jc or nothing is wanted")
    return 0xD503241F | kinds[kind] << 6


@_for("svc", "brk", "udf")
def _trap(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "a number is", 1)
    value = _number(given[0], 0, 0xFFFF)
    return value if name == "udf" else {"svc": 0xD4000001, "brk": 0xD4200000}[name] | value << 5


@_for("mrs", "msr")
def _flags(name: str, given: list[str], resolve: Resolve) -> int:
    order = given if name == "mrs" else given[::-1]
    if len(order) != 2 or order[1].lower() != "nzcv":
        raise AssemblyError("only nzcv is known")
    return (0xD53B4200 if name == "mrs" else 0xD51B4200) | _register(order[0], "x").number


@_for("adr")
def _address_of(name: str, given: list[str], resolve: Resolve) -> int:
    _count(given, "a register and a label are", 2)
    d = _register(given[0], "x")
    offset = resolve(given[1])
    if not -(1 << 20) <= offset < 1 << 20:
        raise AssemblyError(f"{given[1]}: too far")
    return 0x10000000 | (offset & 3) << 29 | (offset >> 2 & 0x7FFFF) << 5 | d.number


# Loads and stores.

_SINGLE = {  # name -> (size, opc for x, opc for w); None: not with that register
    "ldr": (None, 1, 1), "str": (None, 0, 0), "ldrb": (0, None, 1), "strb": (0, None, 0),
    "ldrh": (1, None, 1), "strh": (1, None, 0), "ldrsb": (0, 2, 3), "ldrsh": (1, 2, 3),
    "ldrsw": (2, 2, None),
}  # fmt: skip


@_for(*_SINGLE, *(name.replace("r", "ur", 1) for name in _SINGLE))
def _one(name: str, given: list[str], resolve: Resolve) -> int:
    unscaled = name[2] == "u" or name[2:4] == "ur"
    plain = name.replace("ur", "r", 1) if unscaled else name
    t = _register(given[0])
    size, *opcodes = _SINGLE[plain]
    opc = opcodes[0] if t.wide else opcodes[1]
    if opc is None:
        raise AssemblyError(f"{given[0]}: not with this register")
    scale = (3 if t.wide else 2) if size is None else size
    if not given[1].startswith("["):
        if plain not in ("ldr", "ldrsw") or unscaled or len(given) != 2:
            raise AssemblyError(f"{', '.join(given[1:])}: no address")
        kind = 2 if plain == "ldrsw" else int(t.wide)
        return 0x18000000 | kind << 30 | _label(given[1], resolve, 19) << 5 | t.number
    where = _plain_address(given[1:]) if unscaled else address(given[1:])
    word = scale << 30 | 0x38000000 | opc << 22 | where.base << 5 | t.number
    if where.index is not None:
        option = 3 if where.extend == "lsl" else EXTENDS.index(where.extend)
        if where.shift not in (None, 0, scale):
            raise AssemblyError(f"{given[1]}: no index of this access")
        shifted = int(where.shift is not None and (where.shift > 0 or scale == 0))
        return word | 0x200800 | where.index.number << 16 | option << 13 | shifted << 12
    if where.pre or where.post:
        imm = _offset(where, 1, 9) << 12
        return word | imm | (0xC00 if where.pre else 0x400)
    fits = where.offset % (1 << scale) == 0 and 0 <= where.offset >> scale < 1 << 12
    if fits and not unscaled:
        return word | 0x1000000 | where.offset >> scale << 10
    return word | _offset(where, 1, 9) << 12


def _plain_address(text: list[str]) -> Address:
    """[base] or [base, #offset], which leaves the base as it is."""
    where = address(text)
    if where.index is not None or where.pre or where.post:
        raise AssemblyError(f"{', '.join(text)}: only [base] and [base, #offset] are possible here")
    return where


def _offset(where: Address, unit: int, bits: int) -> int:
    """A signed, scaled offset of that many bits."""
    value, rest = divmod(where.offset, unit)
    if rest or not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise AssemblyError(f"offset {where.offset}: out of range")
    return value & (1 << bits) - 1


@_for("ldp", "stp", "ldnp", "stnp", "ldpsw")
def _pair(name: str, given: list[str], resolve: Resolve) -> int:
    signs = name == "ldpsw"
    t, t2 = _registers(given[:2], "xx" if signs else "rr")
    where = address(given[2:]) if "[" in given[2] and "n" not in name else _plain_address(given[2:])
    if where.index is not None:
        raise AssemblyError(f"{given[2]}: no index of this access")
    each = 4 if signs or not t.wide else 8
    opc = 1 if signs else 2 if t.wide else 0
    mode = 1 if where.post else 3 if where.pre else 0 if "n" in name else 2
    load = int(name.startswith("ld"))
    word = opc << 30 | 0x28000000 | mode << 23 | load << 22 | _offset(where, each, 7) << 15
    return word | t2.number << 10 | where.base << 5 | t.number


def _at(text: list[str]) -> int:
    """[base] and nothing more."""
    where = address(text)
    if where != Address(where.base):
        raise AssemblyError(f"{', '.join(text)}: only [base] is possible here")
    return where.base


_SUFFIX = {"b": 0, "h": 1}


def _exclusive(name: str, given: list[str], resolve: Resolve) -> int:
    match = re.fullmatch(r"(ld|st)(a|l)?x(r|p)(b|h)?", name)
    assert match is not None
    load, ordered, pair = match[1] == "ld", bool(match[2]), match[3] == "p"
    status = 31
    rest = given
    if not load:
        status, rest = _register(given[0], "w").number, given[1:]
    data, place = rest[: 2 if pair else 1], rest[2 if pair else 1 :]
    registers = _registers(data, "rr" if pair else "w" if match[4] else "r")
    t = registers[0]
    t2 = registers[1].number if pair else 31
    size = _SUFFIX[match[4]] if match[4] else 3 if t.wide else 2
    word = size << 30 | 0x08000000 | int(load) << 22 | int(pair) << 21 | int(ordered) << 15
    return word | status << 16 | t2 << 10 | _at(place) << 5 | t.number


def _ordered(name: str, given: list[str], resolve: Resolve) -> int:
    match = re.fullmatch(r"(ldapr|ldlar|ldar|stlr|stllr)(b|h)?", name)
    assert match is not None
    t = _register(given[0], "w" if match[2] else "r")
    size = _SUFFIX[match[2]] if match[2] else 3 if t.wide else 2
    base = {
        "ldar": 0x08DFFC00, "stlr": 0x089FFC00, "ldlar": 0x08DF7C00, "stllr": 0x089F7C00,
        "ldapr": 0x38BFC000,
    }[match[1]]  # fmt: skip
    return size << 30 | base | _at(given[1:]) << 5 | t.number


@_for("ldapur", "stlur")
def _ordered_unscaled(name: str, given: list[str], resolve: Resolve) -> int:
    t = _register(given[0])
    word = 0xD9000000 if t.wide else 0x99000000
    where = _plain_address(given[1:])
    word |= (name == "ldapur") << 22 | _offset(where, 1, 9) << 12
    return word | where.base << 5 | t.number


@_for("prfm")
def _prefetch(name: str, given: list[str], resolve: Resolve) -> int:
    match = re.fullmatch(r"(pld|pli|pst)l([123])(keep|strm)", given[0].lower())
    where = _plain_address(given[1:])
    if match is None:
        raise AssemblyError(f"{given[0]}: a hint such as pstl1strm is wanted")
    kind = ("pld", "pli", "pst").index(match[1]) << 3 | int(match[2]) - 1 << 1
    offset, rest = divmod(where.offset, 8)
    if rest or not 0 <= offset < 1 << 12:
        raise AssemblyError(f"offset {where.offset}: out of range")
    return 0xF9800000 | offset << 10 | where.base << 5 | kind | int(match[3] == "strm")


def _order_bits(text: str, a: int, release: int) -> int:
    return ("a" in text) << a | ("l" in text) << release


def _cas(name: str, given: list[str], resolve: Resolve) -> int:
    match = re.fullmatch(r"cas(p)?(a|al|l)?(b|h)?", name)
    assert match is not None
    orders = _order_bits(match[2] or "", 22, 15)
    if match[1]:
        s, s2, t, t2 = _registers(given[:4], "rrrr")
        if s.number % 2 or t.number % 2:
            raise AssemblyError(f"{', '.join(given[:4])}: a pair begins with an even register")
        if s2.number != s.number + 1 or t2.number != t.number + 1:
            raise AssemblyError("the registers of a pair follow each other")
        word = 0x08207C00 | int(s.wide) << 30 | orders
        return word | s.number << 16 | _at(given[4:]) << 5 | t.number
    s, t = _registers(given[:2], "ww" if match[3] else "rr")
    size = _SUFFIX[match[3]] if match[3] else 3 if t.wide else 2
    return size << 30 | 0x08A07C00 | orders | s.number << 16 | _at(given[2:]) << 5 | t.number


_ATOMIC = {
    "add": 0, "clr": 1, "eor": 2, "set": 3, "smax": 4, "smin": 5, "umax": 6, "umin": 7,
}  # fmt: skip


def _atomic(name: str, given: list[str], resolve: Resolve) -> int:
    match = re.fullmatch(rf"(swp|ld|st)({'|'.join(_ATOMIC)})?(al|a|l)?(b|h)?", name)
    assert match is not None
    orders = _order_bits(match[3] or "", 23, 22)
    opcode = 8 if match[1] == "swp" else _ATOMIC[match[2]]
    count = 1 if match[1] == "st" else 2
    s, *rest = _registers(given[:count], ("w" if match[4] else "r") * count)
    t = rest[0].number if rest else 31
    size = _SUFFIX[match[4]] if match[4] else 3 if s.wide else 2
    word = size << 30 | 0x38200000 | orders | opcode << 12
    return word | s.number << 16 | _at(given[count:]) << 5 | t


def _lse128(name: str, given: list[str], resolve: Resolve) -> int:
    match = re.fullmatch(r"(swpp|ldsetp|ldclrp)(al|a|l)?", name)
    assert match is not None
    t, t2 = _registers(given[:2], "xx")
    if 31 in (t.number, t2.number):
        raise AssemblyError(f"{', '.join(given[:2])}: {name} of the zero register is undefined")
    base = {"swpp": 0x19208000, "ldsetp": 0x19203000, "ldclrp": 0x19201000}[match[1]]
    orders = _order_bits(match[2] or "", 23, 22)
    return base | orders | t2.number << 16 | _at(given[2:]) << 5 | t.number


@_for("ldiapp", "stilp")
def _rcpc3(name: str, given: list[str], resolve: Resolve) -> int:
    t, t2 = _registers(given[:2], "rr")
    where = address(given[2:])
    size = 16 if t.wide else 8
    word = (0xD9000800 if t.wide else 0x99000800) | (name == "ldiapp") << 22
    if where == Address(where.base):
        word |= 0x1000
    elif where not in (
        Address(where.base, size, post=True) if name == "ldiapp" else None,
        Address(where.base, -size, pre=True) if name == "stilp" else None,
    ):
        raise AssemblyError(f"{', '.join(given[2:])}: no address of this instruction")
    return word | t2.number << 16 | where.base << 5 | t.number


_PATTERNS: tuple[tuple[str, Encoder], ...] = (
    (r"b\.\w+", _branch_if),
    (r"(lda?|stl?)x(r[bh]?|p)", _exclusive),
    (r"(ldapr|ldlar|ldar|stlr|stllr)[bh]?", _ordered),
    (r"casp?(al|a|l)?", _cas),
    (r"cas(al|a|l)?[bh]", _cas),
    (r"swp(al|a|l)?[bh]?", _atomic),
    (rf"ld({'|'.join(_ATOMIC)})(al|a|l)?[bh]?", _atomic),
    (rf"st({'|'.join(_ATOMIC)})l?[bh]?", _atomic),  # reading nothing, they cannot acquire
    (r"(swpp|ldsetp|ldclrp)(al|a|l)?", _lse128),
)


def encode(mnemonic: str, operands: list[str], resolve: Resolve) -> int:
    """The word of one statement. Raises AssemblyError."""
    encoder = ENCODERS.get(mnemonic)
    if encoder is None:
        encoder = next((e for p, e in _PATTERNS if re.fullmatch(p, mnemonic)), None)
    if encoder is None:
        raise AssemblyError(f"{mnemonic}: not an instruction that this assembler knows")
    try:
        return encoder(mnemonic, operands, resolve) & 0xFFFFFFFF
    except IndexError:
        raise AssemblyError("operands are missing") from None
