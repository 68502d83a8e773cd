# SPDX-License-Identifier: MIT
"""Every rule: a sequence that breaks it, and a near miss that does not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from atomics.emulator import target
from atomics.emulator.assembler import assemble, installed
from atomics.emulator.check import RIGHT, WRONG, Verdict, check
from atomics.emulator.rules import ERROR, WARNING
from atomics.emulator.specification import SPECIFICATIONS

#: a compare-and-set in x0 (object), x1:x2 (expected), x3:x4 (desired)
CAS = """
1:      {load}   x6, x7, [x0]
        {between}
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
        b.ne    2f
        {store}  w8, x3, x4, [{to}]
        {retry}
2:      {behind}
        cset    w0, eq
        ret
"""
PLAIN = {"load": "ldxp", "store": "stxp", "between": "", "to": "x0", "retry": "cbnz w8, 1b",
         "behind": ""}  # fmt: skip


def cas(**changes: str) -> str:
    return CAS.format(**{**PLAIN, **changes})


def judged(text: str, operation: str = "compare_and_set", order: str | None = None) -> Verdict:
    return check(assemble(text, "rule.s"), SPECIFICATIONS[operation], order=order, runs=0)


def rules(text: str, operation: str = "compare_and_set", order: str | None = None) -> set[str]:
    return {one.rule for one in judged(text, operation, order).findings}


LSE = """
        mov     x6, x1
        mov     x7, x2
        mov     x10, x3
        mov     x11, x4
        {name}  x6, x7, x10, x11, [x0]
        cmp     x6, x1
        ccmp    x7, x2, #0, eq
"""
CASP = LSE + " cset w0, eq\n ret\n"
FAR = "\n".join(["        nop"] * 30)


@pytest.mark.parametrize(
    ("rule", "severity", "breaks", "near"),
    [
        # casp x7, x8, x5, x6, [x3]: odd
        ("undefined", ERROR, ".inst 0x48677c65\n ret\n", CASP.format(name="casp")),
        ("unpredictable", ERROR, cas(store="stxp", to="x0").replace("w8,", "w3,"), cas()),
        ("unpaired", ERROR, cas(between="clrex"), cas(behind="clrex")),
        ("mismatched", ERROR, cas().replace("stxp  w8, x3, x4", "stxr  w8, x3"), cas()),
        ("access-between", WARNING, cas(between="ldr x9, [x0]"), cas(behind="ldr x9, [x0]")),
        ("call-between", WARNING,
         "mov x10, x30\n" + cas(between="bl 3f", behind="mov x30, x10") + "3: ret\n",
         "mov x10, x30\n bl 3f\n" + cas(behind="mov x30, x10") + "3: ret\n"),
        ("loop-between", WARNING, cas(between="mov x9, #2\n4: subs x9, x9, #1\n b.ne 4b"),
         "mov x9, #2\n4: subs x9, x9, #1\n b.ne 4b\n" + cas()),
        ("far-apart", WARNING, cas(between=FAR), cas(behind=FAR)),
        ("status-ignored", WARNING, cas(retry=""), cas()),
        ("acquire-discarded", WARNING, "ldadda x1, xzr, [x0]\n" + cas(),
         "ldadda x1, x9, [x0]\n" + cas()),
    ],
)  # fmt: skip
def test_a_rule_finds_what_breaks_it_and_not_its_near_miss(
    rule: str, severity: str, breaks: str, near: str
) -> None:
    found = {one.rule: one for one in judged(breaks).findings}
    assert rule in found
    assert found[rule].severity == severity
    assert "\n" not in found[rule].reason
    assert rule not in rules(near)


def test_a_finding_names_its_line(tmp_path: Path) -> None:
    text = ".globl f\nf:\n" + cas(store="stlxp").strip() + "\n"
    (found,) = judged(text, order="acq_rel").findings
    assert (found.rule, found.line) == ("acquire-missing", "rule.s:3")
    assert str(found).startswith("error acquire-missing at f (rule.s:3): ")
    compiler = installed.command()
    if compiler is None:
        pytest.skip(f"{installed.NAMES} is not installed")
    file, made = tmp_path / "lines.s", tmp_path / "lines.o"
    file.write_text(text)
    subprocess.run([*compiler, "-g", "-c", str(file), "-o", str(made)], check=True)
    for image in (target.find(f"{made}:f")[0], installed.load(compiler, file, None)):
        verdict = check(image, SPECIFICATIONS["compare_and_set"], order="acq_rel", runs=0)
        (found,) = verdict.findings
        assert str(found.line).endswith("lines.s:3")


def test_a_warning_leaves_the_verdict_and_an_error_does_not() -> None:
    spilled = judged(cas(between="ldr x9, [x0]"))
    assert [one.severity for one in spilled.findings] == [WARNING]
    assert spilled.result == RIGHT
    assert judged(cas(), order="acq_rel").result == WRONG
    assert judged(cas()).result == RIGHT


LOAD = "{before}\n ldp x0, x1, [x0]\n {behind}\n ret\n"
STORE = "{before}\n stp x1, x2, [x0]\n {behind}\n ret\n"


@pytest.mark.parametrize(
    ("text", "operation", "order", "rule"),
    [
        # a compare-and-set: hit and miss
        (cas(), "compare_and_set", "relaxed", None),
        (cas(), "compare_and_set", "acquire", "acquire-missing"),
        (cas(load="ldaxp"), "compare_and_set", "acquire", None),
        (cas(load="ldaxp"), "compare_and_set", "release", "release-missing"),
        (cas(store="stlxp"), "compare_and_set", "release", None),
        (cas(load="ldaxp", store="stlxp"), "compare_and_set", "acq_rel", None),
        (cas(load="ldaxp", store="stlxp"), "compare_and_set", "seq_cst", None),
        # LDAXP and STLXP are no full barrier; a DMB behind makes one, of whichever kind
        (cas(load="ldaxp", store="stlxp"), "compare_and_set", "full", "barrier-missing"),
        (cas(store="stlxp", behind="dmb ish"), "compare_and_set", "full", None),
        (cas(store="stlxp", behind="dmb ishld"), "compare_and_set", "acq_rel", None),
        (cas(store="stlxp", behind="dmb ishst"), "compare_and_set", "acq_rel", "acquire-missing"),
        (cas(store="stlxp", behind="dmb nsh"), "compare_and_set", "acq_rel", "acquire-missing"),
        (cas(store="stlxp", behind="isb"), "compare_and_set", "acq_rel", "acquire-missing"),
        ("dmb ish\n" + cas(load="ldaxp"), "compare_and_set", "acq_rel", None),
        ("dmb ishst\n" + cas(load="ldaxp"), "compare_and_set", "acq_rel", "release-missing"),
        # a miss that leaves before the trailing barrier
        (cas(store="stlxp", retry="cbnz w8, 1b\n dmb ish"), "compare_and_set", "acq_rel",
         "acquire-missing"),
        (CASP.format(name="caspal"), "compare_and_set", "full", None),
        (CASP.format(name="caspal"), "compare_and_set", "acq_rel", None),
        (CASP.format(name="caspl"), "compare_and_set", "acq_rel", "acquire-missing"),
        (CASP.format(name="caspa"), "compare_and_set", "acq_rel", "release-missing"),
        (CASP.format(name="casp"), "compare_and_set", "release", "release-missing"),
        # loads with LSE2
        (LOAD.format(before="", behind=""), "load", "acquire", "acquire-missing"),
        (LOAD.format(before="", behind="dmb ishld"), "load", "acquire", None),
        (LOAD.format(before="", behind="dmb ish"), "load", "seq_cst", "seq-cst-missing"),
        (LOAD.format(before="ldar x9, [x0]", behind="dmb ishld"), "load", "seq_cst", None),
        (LOAD.format(before="ldar x9, [x0]", behind=""), "load", "seq_cst", "acquire-missing"),
        (LOAD.format(before="dmb ish", behind="dmb ish"), "load", "seq_cst", None),
        # ldiapp x0, x1, [x0] is RCpc
        (".inst 0xd9411800\n ret\n", "load", "acquire", None),
        (".inst 0xd9411800\n ret\n", "load", "seq_cst", "seq-cst-missing"),
        ("ldar x9, [x0]\n .inst 0xd9411800\n ret\n", "load", "seq_cst", None),
        # stores with LSE2
        (STORE.format(before="", behind=""), "store", "release", "release-missing"),
        (STORE.format(before="dmb ishst", behind=""), "store", "release", "release-missing"),
        (STORE.format(before="dmb ish", behind=""), "store", "release", None),
        (STORE.format(before="dmb ish", behind=""), "store", "seq_cst", "seq-cst-missing"),
        (STORE.format(before="dmb ish", behind="dmb ish"), "store", "seq_cst", None),
        # stilp x1, x2, [x0]
        (".inst 0xd9021801\n ret\n", "store", "release", None),
        (".inst 0xd9021801\n ret\n", "store", "seq_cst", "seq-cst-missing"),
        (".inst 0xd9021801\n dmb ish\n ret\n", "store", "seq_cst", None),
        # swpp, swppa, swppl, swppal x1, x2, [x0]: nothing is returned, so nothing to acquire
        (".inst 0x19228001\n ret\n", "store", "release", "release-missing"),
        (".inst 0x19628001\n ret\n", "store", "seq_cst", None),
    ],
)  # fmt: skip
def test_the_order_is_the_one_that_is_claimed(
    text: str, operation: str, order: str, rule: str | None
) -> None:
    found = {one.rule for one in judged(text, operation, order).findings}
    assert found == ({rule} if rule else set())
