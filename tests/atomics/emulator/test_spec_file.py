# SPDX-License-Identifier: MIT
"""A sequence with its own convention, described in TOML."""

from __future__ import annotations

from pathlib import Path

import pytest

from atomics.emulator import spec_file
from atomics.emulator.assembler import assemble
from atomics.emulator.check import RIGHT, WRONG, Verdict, check
from atomics.emulator.spec_file import SpecificationError

#: the bare listing of the design seed: no prologue, no return, registers of its own
BARE = """
0:      ldxp  x7, x6, [x8]
        eor   x7, x7, x2
        eor   x6, x6, x3
        orr   x6, x7, x6
        cbnz  x6, 1f
        stxp  w6, x4, x5, [x8]
        cbnz  w6, 0b
1:
"""
BINDING = """
operation = "compare_and_set"
object = "x8"
success = "zero"
returns = "end"
arguments = { expected = "x2:x3", desired = "x4:x5" }
results = { ok = "x6" }
"""


def judged(file: Path, text: str, toml: str, **more: object) -> Verdict:
    file.write_text(toml)
    spec = spec_file.find(str(file))
    return check(
        assemble(text, "bare.s"),
        spec.specification,
        binding=spec.binding,
        object_bytes=spec.object_bytes,
        situations=spec.situations,
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("cpus", [2, 3])
def test_the_bare_listing_is_right_as_it_stands(tmp_path: Path, cpus: int) -> None:
    assert judged(tmp_path / "s.toml", BARE, BINDING, cpus=cpus).result == RIGHT


@pytest.mark.parametrize(
    ("was", "is_"),
    [
        ('success = "zero"', 'success = "nonzero"'),
        ('"x2:x3", desired', '"x3:x2", desired'),
        ('desired = "x4:x5"', 'desired = "x5:x4"'),
    ],
)
def test_what_the_file_declares_is_what_is_judged(tmp_path: Path, was: str, is_: str) -> None:
    assert was in BINDING
    assert judged(tmp_path / "s.toml", BARE, BINDING.replace(was, is_)).result == WRONG


def test_given_calls_and_memory_replace_the_default_scenarios(tmp_path: Path) -> None:
    toml = (
        BINDING
        + """
memory = { bytes = 32, initial = [7, 8] }
[[cpu]]
calls = [{ expected = [7, 8], desired = [9, 10] }, { expected = [9, 10], desired = [7, 8] }]
[[cpu]]
calls = [{ peer = "store", desired = [1, 2] }, { peer = "load" }]
"""
    )
    verdict = judged(tmp_path / "s.toml", BARE, toml)
    (one,) = verdict.explored
    assert one.result == RIGHT
    assert one.scenario.initial == (7, 8)
    assert len(one.world.memory) == 32
    assert [len(row) for row in one.world.calls] == [2, 2]
    assert one.world.calls[1][0].given == {"desired": (1, 2)}


def test_a_result_that_the_binding_leaves_out_is_not_judged(tmp_path: Path) -> None:
    """The pair of a miss may be torn, but only who looks at it can be misled."""
    observed = BINDING.replace("compare_and_set", "compare_exchange")
    text = BARE.replace("eor   x7, x7, x2", "mov x9, x7\n mov x10, x6\n eor x7, x7, x2")
    looked = observed.replace('ok = "x6"', 'ok = "x6", observed = "x9:x10"')
    assert judged(tmp_path / "s.toml", text, observed).result == RIGHT
    verdict = judged(tmp_path / "s.toml", text, looked)
    assert verdict.result == WRONG
    assert "torn" in str(verdict.explored[-1].reason)


@pytest.mark.parametrize(
    ("toml", "line"),
    [
        ("operation = ", "not TOML ("),
        ("", "operation = None: no such operation; one of compare_exchange,"),
        ('operation = "cas"', "operation = 'cas': no such operation; one of"),
        ('operation = "load"\nobjekt = "x0"', "objekt: no such key; one of arguments, cpu,"),
        ('operation = "load"\nobject = "x31"', "x31: not a register; x0 to x30"),
        ('operation = "load"\nobject = 8', "object = 8: the register with its address"),
        ('operation = "load"\nresults = { value = "x0:w1" }', "x0:w1: not a place; x0, w0, w0.8,"),
        ('operation = "load"\nresults = { old = "x0" }',
         "results.old: not one of this operation's: value"),
        ('operation = "store"\narguments = {}', "arguments: desired is missing"),
        ('operation = "store"\narguments = "x1:x2"',
         "arguments = 'x1:x2': a table of name = place"),
        ('operation = "load"\nsuccess = "one"', "success = 'one': one of nonzero, zero"),
        ('operation = "load"\npreserves = 1', "preserves = 1: true or false"),
        ('operation = "load"\nmemory = { bytes = 24 }',
         "memory.bytes = 24: a multiple of 16 up to 4096"),
        ('operation = "load"\nmemory = { initial = [1] }',
         "memory.initial = [1]: a pair [LO, HI]"),
        ('operation = "load"\nmemory = { initial = [1, -1] }',
         "memory.initial = -1: 0 to 2**64 - 1"),
        ('operation = "load"\n[[cpu]]\n', "cpu: calls = [{...}, ...] and nothing else"),
        ('operation = "store"\n[[cpu]]\ncalls = [{ operand = [1, 2] }]',
         "cpu.calls: {'operand': [1, 2]}; store takes desired"),
        ('operation = "store"\n[[cpu]]\ncalls = [{ peer = "swap" }]',
         "cpu.calls: {'peer': 'swap'}; a peer is"),
    ],
)  # fmt: skip
def test_a_mistake_names_key_value_and_what_is_right(tmp_path: Path, toml: str, line: str) -> None:
    file = tmp_path / "s.toml"
    file.write_text(toml)
    with pytest.raises(SpecificationError) as caught:
        spec_file.find(str(file))
    text = str(caught.value)
    assert text.removeprefix(f"spec {file}: ").startswith(line)
    assert "\n" not in text


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(SpecificationError, match=r"spec none\.toml: No such file or directory"):
        spec_file.find("none.toml")
