# SPDX-License-Identifier: MIT
"""What a user adds: a specification and a property, each a small class or function."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import pytest

from atomics.emulator.assembler import assemble
from atomics.emulator.calls import Binding, Call
from atomics.emulator.check import RIGHT, WRONG, check
from atomics.emulator.places import parse
from atomics.emulator.properties import Linearizable, Property, Results, Violation
from atomics.emulator.scenario import Scenario
from atomics.emulator.specification import (
    SPECIFICATIONS,
    Outcome,
    Pair,
    Specification,
    Values,
)


def _push(pair: Pair, given: Values) -> Iterable[Outcome]:
    """A tagged head: the new pointer, and a tag that counts."""
    yield (given["pointer"], pair[1] + 1), {"below": pair[0]}


PUSH = Specification("push", ("pointer",), ("below",), _push)
BINDING = Binding(
    arguments=(("pointer", parse("x1")),),
    results=(("below", parse("x0")),),
)
SITUATION = Scenario(
    "two pushes", (100, 0), ((("", (("pointer", 200),)),), (("", (("pointer", 300),)),))
)
GOOD = """
1:      ldxp  x3, x4, [x0]
        add   x5, x4, #1
        stxp  w6, x1, x5, [x0]
        cbnz  w6, 1b
        mov   x0, x3
        ret
"""


class TagNeverFalls(Property):
    """Of two pushes one ends with tag 2: the tag counts what was returned."""

    name = "tag counts"

    def initial(self, calls: list[list[Call]], memory: bytes) -> Hashable:
        return 0

    def returned(self, state: Any, cpu: int, call: Call, results: Results) -> Hashable:
        return state + 1

    def finished(self, state: Any, memory: bytes) -> None:
        tag = int.from_bytes(memory[8:16], "little")
        if tag != state:
            raise Violation(f"{state} pushes returned and the tag is {tag}")


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(
    ("was", "is_", "result", "said"),
    [
        ("", "", RIGHT, None),
        ("add   x5, x4, #1", "add   x5, x4, #0", WRONG, "2 pushes returned and the tag is 0"),
        ("cbnz  w6, 1b", "nop", WRONG, "2 pushes returned and the tag is 1"),
    ],
)
def test_a_property_of_ones_own_is_judged(
    engine: str, was: str, is_: str, result: str, said: str | None
) -> None:
    verdict = check(
        assemble(GOOD.replace(was, is_), "push.s"),
        PUSH,
        binding=BINDING,
        situations=[SITUATION],
        properties=lambda: [TagNeverFalls()],
        engine=engine,
    )
    assert (verdict.result, verdict.explored[-1].reason) == (result, said)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_specification_of_ones_own_is_judged(engine: str) -> None:
    for text, result in ((GOOD, RIGHT), (GOOD.replace("mov   x0, x3", "mov x0, x4"), WRONG)):
        verdict = check(
            assemble(text, "push.s"), PUSH, binding=BINDING, situations=[SITUATION], engine=engine
        )
        assert verdict.result == result


def test_several_properties_are_judged_together() -> None:
    text = GOOD.replace("cbnz  w6, 1b", "nop")
    for properties in ([Linearizable(), TagNeverFalls()], [TagNeverFalls(), Linearizable()]):
        verdict = check(
            assemble(text, "push.s"),
            PUSH,
            binding=BINDING,
            situations=[SITUATION],
            properties=lambda given=properties: given,  # type: ignore[misc]
        )
        assert verdict.result == WRONG


@pytest.mark.parametrize(
    ("asked", "line"),
    [({"cpus": 9}, "cpus 9: 1 to 8"), ({"calls": 0}, "calls 0: 1 to 16")],
)
def test_what_cannot_be_asked_is_refused(asked: dict[str, int], line: str) -> None:
    with pytest.raises(ValueError, match=line):
        check(assemble(GOOD, "push.s"), PUSH, binding=BINDING, **asked)  # type: ignore[arg-type]


def test_what_is_left_behind_is_judged_where_nobody_looks() -> None:
    swapped = assemble("1: ldxp x3, x4, [x0]\n stxp w5, x2, x1, [x0]\n cbnz w5, 1b\n ret\n", "s.s")
    verdict = check(swapped, SPECIFICATIONS["store"], cpus=1)
    assert verdict.result == WRONG
    assert verdict.explored[-1].reason == (
        "the object ends as {31, 11}, which the calls do not explain; expected {11, 31}"
    )


C11 = """
        ldp   x6, x7, [x1]
        mov   x8, x6
        mov   x9, x7
        casp  x6, x7, x2, x3, [x0]
        cmp   x6, x8
        ccmp  x7, x9, #0, eq
        cset  w4, eq
        {then}
        mov   w0, w4
        ret
"""


@pytest.mark.parametrize(
    ("then", "observed", "result", "said"),
    [
        ("nop", False, RIGHT, None),
        ("stp x6, x7, [x1]", True, RIGHT, None),  # as C11: what was expected is what was seen
        ("stp xzr, x7, [x1]", False, WRONG, "changed its input in memory"),
        ("nop", True, WRONG, "observed = {10, 20}; possible here: ok = false, observed = {11, 21}"),
    ],
)
def test_an_input_in_memory_stays_unless_it_is_a_result_too(
    then: str, observed: bool, result: str, said: str | None
) -> None:
    results = [("ok", parse("w0.8"))] + [("observed", parse("[x1]"))] * observed
    verdict = check(
        assemble(C11.format(then=then), "c11.s"),
        SPECIFICATIONS["compare_exchange"],
        binding=Binding(
            arguments=(("expected", parse("[x1]")), ("desired", parse("x2:x3"))),
            results=tuple(results),
        ),
    )
    assert verdict.result == result
    assert said is None or said in str(verdict.explored[-1].reason)
