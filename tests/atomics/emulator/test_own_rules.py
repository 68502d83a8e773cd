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
from atomics.emulator.specification import Outcome, Pair, Specification, Values


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
