# SPDX-License-Identifier: MIT
"""Random runs: they find what the scenarios' few values do not show, and run again by number."""

from __future__ import annotations

import pytest

from atomics.emulator import functional, kernels
from atomics.emulator.assembler import assemble
from atomics.emulator.calls import BINDINGS
from atomics.emulator.check import RIGHT, WRONG, Verdict, check
from atomics.emulator.local import Choice, LocalMachine
from atomics.emulator.scenario import calls_of, with_peers
from atomics.emulator.semantics import Semantics
from atomics.emulator.specification import MASK64, SPECIFICATIONS
from atomics.emulator.world import World

ADD = """
1:      ldxp    x6, x7, [x0]
        {add}
        stxp    w10, x8, x9, [x0]
        cbnz    w10, 1b
        mov     x0, x6
        mov     x1, x7
        ret
"""
CARRY = "adds x8, x6, x1\n adc x9, x7, x2"
MAX = """
1:      ldxp    x6, x7, [x0]
        cmp     x7, x2
        csel    x9, x7, x2, {condition}
        csel    x8, x6, x1, {condition}
        b.ne    2f
        cmp     x6, x1
        csel    x8, x6, x1, {low}
2:      stxp    w10, x8, x9, [x0]
        cbnz    w10, 1b
        mov     x0, x6
        mov     x1, x7
        ret
"""


def judged(text: str, operation: str, runs: int = functional.RUNS) -> Verdict:
    return check(assemble(text, "f.s"), SPECIFICATIONS[operation], runs=runs)


def test_a_right_sequence_is_right_in_every_run() -> None:
    verdict = judged(ADD.format(add=CARRY), "fetch_add", runs=1000)
    assert verdict.walks is not None
    assert (verdict.result, verdict.walks.runs, verdict.walks.wrong) == (RIGHT, 1000, None)
    assert judged(MAX.format(condition="hi", low="hi"), "fetch_max").result == RIGHT
    assert judged(MAX.format(condition="gt", low="hi"), "fetch_max_signed").result == RIGHT


@pytest.mark.parametrize(
    "add",
    [
        # wrong only where the low word of the high half is all ones
        "adds x8, x6, x1\n adc x9, x7, x2\n cmn w7, #1\n cinc x9, x9, eq",
        # a carry out of the operand alone is lost
        "cmn x1, #1\n add x8, x6, x1\n cset x11, eq\n adds xzr, x6, x1\n adc x9, x7, x2\n"
        " sub x9, x9, x11",
    ],
)
def test_what_needs_a_rare_value_is_found_and_runs_again(add: str) -> None:
    verdict = judged(ADD.format(add=add), "fetch_add", runs=2000)
    assert verdict.result == WRONG
    wrong = verdict.walks.wrong if verdict.walks else verdict.explored[-1]
    assert wrong is not None
    assert wrong.trace
    again = functional.numbered(SPECIFICATIONS["fetch_add"], wrong.scenario.name)
    assert again is None or again == wrong.scenario


def test_runs_are_disturbed_and_reach_edges() -> None:
    """They are no walk in the sun: stores fail, writers come between, halves are all ones."""
    failed = torn = between = ones = hits = 0
    specification = SPECIFICATIONS["compare_and_set"]
    image = with_peers(kernels.kernels()["dwcas_pair_compare_and_set_relaxed_llsc"].image)
    for number in range(functional.BITS, functional.BITS + 200):
        one = functional.scenario(specification, number)
        arguments = dict(one.calls[0][0][1])
        ones += MASK64 in (*one.initial, *arguments["expected"], *arguments["desired"])
        hits += arguments["expected"] == one.initial
        between += len(one.calls[1]) > 1
        calls = calls_of(one, image, specification, BINDINGS[specification.name])
        world = World(image, calls, one.initial[0].to_bytes(8, "little") * 2)
        choices = [way for _, way in functional.walk(_semantics(world), one.name).path]
        failed += Choice.FAILED in choices
        torn += Choice.HIGH in choices
    assert min(failed, torn, between, ones) > 20
    assert 40 < hits < 160


def _semantics(world: World) -> Semantics:
    return Semantics(world, LocalMachine(world))


def test_an_endless_sequence_is_cut() -> None:
    verdict = judged("1: ldr x1, [x0]\n b 1b\n", "load", runs=100)
    assert verdict.result == WRONG  # no CPU can finish, says the exploration
    assert verdict.walks is None
