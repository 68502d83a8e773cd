# SPDX-License-Identifier: MIT
"""The native explorer against the one in Python, on programs that nobody thought of."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from atomics.emulator.assembler import assemble
from atomics.emulator.check import check
from atomics.emulator.model import Model, changed
from atomics.emulator.specification import SPECIFICATIONS
from tests.atomics.emulator.programs import Ends, explored, world

STATEMENTS = (
    "ldp  x0, x1, [x8]",
    "ldxp x0, x1, [x8]",
    "stxp w7, x0, x1, [x8]",
    "stxp w7, x2, x3, [x8]",
    "ldxr x0, [x8]",
    "stxr w7, x2, [x8]",
    "stp  x2, x3, [x8]",
    "str  x2, [x8]",
    "str  x3, [x8, #8]",
    "ldr  x1, [x8, #8]",
    "casp x0, x1, x2, x3, [x8]",
    "ldadd x2, x0, [x8]",
    "swpp x2, x3, [x8]",
    "clrex",
    "add  x2, x0, #1",
    "mov  x3, x1",
    "cbnz w7, A",
    "cmp  x0, x2",
    "b.eq A",
)
program = st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=6).map(
    lambda rows: "A:      mov  x6, #1\n" + "".join(f"        {row}\n" for row in rows)
)
options = st.fixed_dictionaries(
    {
        "pairs": st.sampled_from(["split", "atomic"]),
        "own_store": st.sampled_from(["keep", "clear"]),
        "spurious": st.sampled_from(["0", "1", "unlimited"]),
        "cas_miss": st.sampled_from(["read", "write"]),
        "exceptions": st.sampled_from(["off", "on"]),
        "granule": st.sampled_from(["16", "2048"]),
        "step": st.sampled_from(["access", "instruction"]),
    }
)


@settings(max_examples=150, deadline=None)
@given(st.lists(program, min_size=1, max_size=3), options, st.booleans())
def test_both_find_the_same(texts: list[str], chosen: dict[str, str], emulator: bool) -> None:
    model = [f"{key}={value}" for key, value in chosen.items()]
    if emulator:
        model += ["pairs=atomic", "monitor=value"]
    results = []
    for engine in ("python", "native"):
        seen = Ends([0, 7])
        found = explored(world(texts, model, properties=[seen]), engine, limit=3_000)
        results.append((found, seen.found))
    assert results[0] == results[1]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SPECIFICATIONS)), program, options)
def test_both_give_the_same_verdict_and_trace(
    operation: str, text: str, chosen: dict[str, str]
) -> None:
    model = changed(Model(), [f"{key}={value}" for key, value in chosen.items()])
    image = assemble(text.replace("x8", "x0") + "        ret\n", "random.s")
    found = [
        check(image, SPECIFICATIONS[operation], model=model, engine=engine, limit=2_000)
        for engine in ("python", "native")
    ]
    rows = [
        [(o.scenario.name, o.result, o.states, o.transitions, o.reason, o.replay, o.trace)
         for o in verdict.explored]
        for verdict in found
    ]  # fmt: skip
    assert rows[0] == rows[1]
