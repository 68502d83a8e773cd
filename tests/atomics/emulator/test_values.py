# SPDX-License-Identifier: MIT
"""Sequences that are right for small or kind values only, or for a friendly caller: the default
scenarios show each of them, and leave the right one beside it alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from atomics.emulator import spec_file
from atomics.emulator.assembler import assemble
from atomics.emulator.calls import Binding
from atomics.emulator.check import RIGHT, WRONG, Verdict, check
from atomics.emulator.places import parse
from atomics.emulator.spec_file import SpecificationError
from atomics.emulator.specification import SPECIFICATIONS
from atomics.emulator.unicorn_cpu import UnicornDecoder

CAS = """
1:      ldxp    x6, x7, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        b.ne    2f
        stxp    w8, x3, x4, [x0]
        cbnz    w8, 1b
2:      cset    w0, eq
        ret
"""
STORE = """
1:      ldxp    x6, x7, [x0]
        stxp    w8, x1, x2, [x0]
        cbnz    w8, 1b
        ret
"""
RESERVE = """
1:      ldxp    x4, x5, [x0]
        add     x6, x4, x2
        stxp    w7, x6, x4, [x0]
        cbnz    w7, 1b
        stp     x4, x6, [x8]
        str     x5, [x8, #16]
        ret
"""
UNLINKED = """
1:      ldxr    x4, [x0]
        add     x6, x4, x2
        stxr    w7, x6, [x0]
        cbnz    w7, 1b
        stp     x4, x6, [x8]
        str     xzr, [x8, #16]
        ret
"""
ADD_LO = """
1:      ldxr    x4, [x0]
        add     x6, x4, x1
        stxr    w7, x6, [x0]
        cbnz    w7, 1b
        mov     x0, x4
        ret
"""
MAX = """
1:      ldxp    x6, x7, [x0]
        cmp     x7, x2
        csel    x8, x6, x1, hi
        csel    x9, x7, x2, hi
        b.ne    2f
        cmp     x6, x1
        csel    x8, x6, x1, hi
2:      stxp    w10, x8, x9, [x0]
        cbnz    w10, 1b
        mov     x0, x6
        mov     x1, x7
        ret
"""
LOAD = """
1:      ldxp    x6, x7, [x0]
        stxp    w8, x6, x7, [x0]
        cbnz    w8, 1b
        mov     x0, x6
        mov     x1, x7
        ret
"""
#: reads twice and compares: sees one mixture twice where a writer comes back
TWICE = """
1:      ldp     x2, x3, [x0]
        ldp     x4, x5, [x0]
        cmp     x2, x4
        ccmp    x3, x5, #0, eq
        b.ne    1b
        mov     x0, x2
        mov     x1, x3
        ret
"""


def judged(text: str, operation: str, runs: int = 0) -> Verdict:
    return check(assemble(text, "v.s"), SPECIFICATIONS[operation], runs=runs)


@pytest.mark.parametrize(
    ("right", "operation"),
    [
        (CAS, "compare_and_set"),
        (CAS, "compare_and_set_weak"),
        (STORE, "store"),
        (RESERVE, "reserve"),
        (UNLINKED, "reserve_unlinked"),
        (ADD_LO, "fetch_add_lo"),
        (MAX, "fetch_max"),
        (LOAD, "load"),
    ],
)
def test_the_right_ones_are_right(right: str, operation: str) -> None:
    assert judged(right, operation, runs=300).result == RIGHT


@pytest.mark.parametrize(
    ("was", "becomes", "text", "operation"),
    [
        ("cmp     x6, x1", "cmp     w6, w1", CAS, "compare_and_set"),
        ("ccmp    x7, x2", "ccmp    w7, w2", CAS, "compare_and_set"),
        ("1:  ", "mov w3, w3\n1:", CAS, "compare_and_set"),
        ("1:  ", "mov w2, w2\n1:", STORE, "store"),
        ("add     x6, x4, x2", "add     w6, w4, w2", RESERVE, "reserve"),
        ("add     x6, x4, x1", "add     w6, w4, w1", ADD_LO, "fetch_add_lo"),
        ("mov     x0, x6", "mov     w0, w6", LOAD, "load"),
        ("b.ne    2f", "nop", MAX, "fetch_max"),  # only the high halves decide
    ],
)
def test_what_small_values_hide_is_found_by_exploring_alone(
    was: str, becomes: str, text: str, operation: str
) -> None:
    assert was in text
    assert judged(text.replace(was, becomes, 1), operation).result == WRONG


def test_a_load_that_reads_twice_meets_a_writer_who_comes_back() -> None:
    verdict = judged(TWICE, "load")
    assert verdict.result == WRONG
    assert verdict.explored[-1].scenario.name == "A-B-A"


@pytest.mark.parametrize("operation", ["compare_and_set_weak", "compare_exchange_weak"])
def test_a_weak_one_must_succeed_when_nothing_disturbs_it(operation: str) -> None:
    observes = "stp x6, x7, [x5]" if operation == "compare_exchange_weak" else "nop"
    never = f"ldp x6, x7, [x0]\n{observes}\nmov w0, #0\nret\n"
    verdict = check(assemble(never, "never.s"), SPECIFICATIONS[operation], cpus=1, runs=0)
    assert verdict.result == WRONG
    assert verdict.explored[-1].scenario.name == "alone"


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        (UNLINKED.replace("str     xzr, [x8, #16]", "nop"), "reserve_unlinked"),  # prev is not set
        (CAS.replace("cset    w0, eq", "ldr w0, [sp, #-16]!\n add sp, sp, #16\n cset w0, eq\n"
                     " ldr x9, [x5]\n add w0, w0, w9"), "compare_and_set"),
        (CAS.replace("cset    w0, eq", "cset w0, eq\n orr w0, w0, w12"), "compare_and_set"),
    ],
)  # fmt: skip
def test_what_nobody_set_is_not_zero(text: str, operation: str) -> None:
    assert judged(text, operation).result == WRONG


COMPARE = """
1:      ldxp    x6, x7, [x0]
        eor     x11, x6, x1
        eor     x12, x7, x2
        and     {register}, {register}, #{mask:#x}
        orr     x11, x11, x12
        cbnz    x11, 2f
        stxp    w8, x3, x4, [x0]
        cbnz    w8, 1b
2:      cmp     x11, #0
        cset    w0, eq
        ret
"""


@pytest.mark.parametrize("register", ["x11", "x12"])
@pytest.mark.parametrize("bit", [1, 8, 31, 33, 58, 63])
def test_a_compare_that_ignores_one_bit_is_found(register: str, bit: int) -> None:
    text = COMPARE.format(register=register, mask=((1 << 64) - 1) ^ 1 << bit)
    assert judged(text, "compare_and_set", runs=128).result == WRONG


def test_a_weak_one_that_never_hits_for_some_values_is_found() -> None:
    refuses = CAS.replace("b.ne    2f", "b.ne 2f\n tbnz x3, #33, 3f")
    refuses += "3: mov w0, #0\n ret\n"
    assert judged(refuses, "compare_and_set_weak", runs=300).result == WRONG


def test_a_load_that_changes_zeros_is_found() -> None:
    text = "mov x6, #0\nmov x7, #0\nmov x8, #1\nmov x9, #0\ncasp x6, x7, x8, x9, [x0]\n"
    assert judged(text + "mov x0, x6\nmov x1, x7\nret\n", "load", runs=300).result == WRONG


@pytest.mark.parametrize(
    "before",
    [
        "mov w0, w0",  # a pointer cut to 32 bits
        "and x0, x0, #0xffffffffffffffc0",  # or rounded down
        "and x0, x0, #0xfffffffffffff000",
        "cbnz x9, 1f\n mov x1, #0",  # what the caller left decides
        "tbnz x12, #63, 1f\n mov x1, #0",
        "sub sp, sp, #16\n ldr x11, [sp]\n add sp, sp, #16\n cbnz x11, 1f\n mov x1, #0",
        "ldr x11, [sp, #64]",  # the caller's frame
        "str xzr, [x5]",  # x5 is no argument of this operation
    ],
)
def test_pointers_and_leftovers_are_not_kind(before: str) -> None:
    assert judged(before + "\n" + CAS, "compare_and_set").result == WRONG


@pytest.mark.parametrize("offset", [-8, 16, 2048])
def test_only_the_bytes_of_a_result_may_be_written(offset: int) -> None:
    store = "1: ldxp x6, x7, [x0]\n stxp w8, x6, x7, [x0]\n cbnz w8, 1b\n"
    exchange = store.replace("stxp w8, x6, x7", "stxp w8, x1, x2")
    text = exchange + "stp x6, x7, [x5]\n"
    binding = Binding(arguments=(("operand", parse("x1:x2")),), results=(("old", parse("[x5]")),))
    right = check(assemble(text + "ret\n", "v.s"), SPECIFICATIONS["exchange"], binding=binding)
    assert right.result == RIGHT
    beyond = assemble(text + f"str xzr, [x5, #{offset}]\nret\n", "v.s")
    assert check(beyond, SPECIFICATIONS["exchange"], binding=binding).result == WRONG


@pytest.mark.parametrize(
    ("text", "operation", "order"),
    [
        # two loads, of which the one that counts does not acquire
        ("ldaxp x6, x7, [x0]\n ldr x0, [x0]\n ret\n", "load_lo", "acquire"),
        # ordered unless the operand is negative
        ("tbnz x2, #63, 3f\n1: ldaxp x6, x7, [x0]\n stlxp w8, x1, x2, [x0]\n cbnz w8, 1b\n b 4f\n"
         "3: ldxp x6, x7, [x0]\n stxp w8, x1, x2, [x0]\n cbnz w8, 3b\n"
         "4: mov x0, x6\n mov x1, x7\n ret\n", "exchange", "acq_rel"),
    ],
)  # fmt: skip
def test_an_order_that_is_there_for_some_values_only_is_missing(
    text: str, operation: str, order: str
) -> None:
    verdict = check(assemble(text, "v.s"), SPECIFICATIONS[operation], order=order)
    assert {one.rule for one in verdict.errors} & {"acquire-missing", "release-missing"}


def test_two_half_barriers_release() -> None:
    text = "dmb ishld\n dmb ishst\n" + CAS
    for order, result in (("release", RIGHT), ("acquire", WRONG)):
        verdict = check(assemble(text, "v.s"), SPECIFICATIONS["compare_and_set"], order=order)
        assert verdict.result == result


def test_a_compare_of_vectors_sets_flags() -> None:
    text = ".inst 0x9e670020\n .inst 0x1e602000\n cset w12, vs\n" + CAS  # fmov d0, x1; fcmp d0, d0
    image = assemble(text, "v.s")
    verdict = check(image, SPECIFICATIONS["compare_and_set"], decoder=UnicornDecoder(False), runs=0)
    assert (verdict.result, verdict.findings) == (RIGHT, [])


PLAIN = 'operation = "compare_and_set"\n'


@pytest.mark.parametrize(
    ("toml", "line"),
    [
        (PLAIN + "memory = { initial = [1, 2] }", "memory.initial: needs [[cpu]]"),
        (PLAIN + '[[cpu]]\ncalls = [{ peer = "load" }]', "cpu: no call of compare_and_set"),
        ('operation = "load"\nresults = {}', "results: value is missing"),
        (PLAIN + 'arguments = { expected = "x5", desired = "x3:x4" }',
         "arguments.expected: 64 bits; a pair, such as x2:x3 or [x5], is wanted"),
        ('operation = "reserve"\narguments = { size = "x2:x3" }',
         "arguments.size: 128 bits; 64 bits, such as x2 or [x5].8, is wanted"),
        (PLAIN + 'arguments = { expected = "x1:x2", desired = "x2:x3" }',
         "arguments.desired: its place is taken by arguments.expected"),
        (PLAIN + 'object = "x1"', "arguments.expected: its place is taken by object"),
        (PLAIN + 'arguments = { expected = "[x1]", desired = "[x1+8]" }',
         "arguments.desired: its place is taken by arguments.expected"),
        (PLAIN + 'arguments = { expected = "[x1+4090]", desired = "[x2]" }',
         "arguments.expected: its offset ends at 4106; at most 4096"),
        (PLAIN + 'results = { ok = "x0:x1" }', "results.ok: yes or no, and no pair; such as w0"),
        (PLAIN + "cpu = [1]", "cpu = [1]: tables [[cpu]] are wanted"),
        (PLAIN + "[[cpu]]\ncalls = [{ expected = 1, desired = [1, 2] }]",
         "expected = 1: a pair [LO, HI]"),
        (f"operation = {'9' * 5000}", "not TOML (Exceeds the limit"),
        (f"a = {'[' * 100000}", "not TOML (nested too deeply)"),
    ],
)  # fmt: skip
def test_a_specification_that_judges_nothing_or_contradicts_itself_is_refused(
    tmp_path: Path, toml: str, line: str
) -> None:
    file = tmp_path / "s.toml"
    file.write_text(toml)
    with pytest.raises(SpecificationError) as refused:
        spec_file.find(str(file))
    assert str(refused.value).startswith(f"spec {file}: {line}")
    assert "\n" not in str(refused.value)


def test_memory_may_be_an_argument_and_a_result(tmp_path: Path) -> None:
    file = tmp_path / "c11.toml"
    file.write_text(
        'operation = "compare_exchange"\narguments = { expected = "[x1]", desired = "x2:x3" }\n'
        'results = { ok = "w0", observed = "[x1]" }\n'
    )
    assert spec_file.find(str(file)).binding.results[1][1].pointer
