# SPDX-License-Identifier: MIT
"""What a reservation finds behind x1: a part of the object that is its CPU's own, and one that the
others reach too."""

from __future__ import annotations

import pytest

from atomics.emulator import local
from atomics.emulator.assembler import assemble
from atomics.emulator.check import RIGHT, WRONG, Verdict, check
from atomics.emulator.specification import SPECIFICATIONS

RESERVE = """
1:      ldaxr x12, [x0]
        add   x13, x12, x2
        stlxr w14, x13, [x0]
        cbz   w14, 2f
        ldr   x15, [x1{counter}]
        add   x15, x15, #1
        str   x15, [x1{counter}]
        b     1b
2:      stp   x12, x13, [x8]
        str   xzr, [x8, #16]
        ret
"""
#: leaves the address of something of its own, and writes where the CPU before left one
NODES = """
        add   x9, x1, #{node}
        add   x11, x0, #16
        swpal x9, x10, [x11]
        cbz   x10, 1f
        str   x2, [x10]
"""


def judged(text: str) -> Verdict:
    return check(
        assemble(text, "threads.s"),
        SPECIFICATIONS["reserve_unlinked"],
        object_bytes=32,
        runs=10,
    )


def reasons(verdict: Verdict) -> str:
    return " ".join(str(one.reason) for one in verdict.explored if one.result != RIGHT)


def test_other_cpus_reach_what_is_shared_and_nothing_else() -> None:
    rest = RESERVE.format(counter="")
    assert judged(NODES.format(node=256) + rest).result == RIGHT
    assert judged(NODES.format(node=376) + rest).result == RIGHT
    for own in (0, 32, 152, 192, 248):
        verdict = judged(NODES.format(node=own) + rest)
        assert verdict.result == WRONG
        assert "outside the object and its own memory" in reasons(verdict)


def test_nothing_lies_right_behind_the_object() -> None:
    past = "        str x2, [x0, #32]\n"
    assert judged(past + RESERVE.format(counter="")).result == WRONG


def test_a_counter_of_retries_does_not_make_states_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local, "ROOM", 200_000)
    assert judged(RESERVE.format(counter="")).result == RIGHT
    grows = judged(RESERVE.format(counter=", #32"))
    assert "bounded" in reasons(grows)


def test_what_is_its_own_stays_from_call_to_call() -> None:
    """prev is 0 in the first call only, so that a scenario of one call each is right."""
    text = """
        ldr   x9, [x1, #32]
        add   x10, x9, #1
        str   x10, [x1, #32]
        ldaddal x2, x12, [x0]
        add   x13, x12, x2
        stp   x12, x13, [x8]
        str   x9, [x8, #16]
        ret
"""
    by_name = {one.scenario.name: one.result for one in judged(text).explored}
    assert by_name == {"contend": RIGHT, "upper words": RIGHT, "again": WRONG}


def test_random_numbers_are_those_of_the_scenario() -> None:
    """The low bit of the state, as prev: 1 on all CPUs, or 0 on some."""
    text = """
        ldr   x9, [x1, #8]
        and   x9, x9, #1
        eor   x9, x9, #1
        ldaddal x2, x12, [x0]
        add   x13, x12, x2
        stp   x12, x13, [x8]
        str   x9, [x8, #16]
        ret
"""
    by_name = {one.scenario.name: one.result for one in judged(text).explored}
    assert by_name == {"contend": RIGHT, "upper words": WRONG}
