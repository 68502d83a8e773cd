# SPDX-License-Identifier: MIT
"""The instruction table against the compiled objects, gcc and clang, and against its page."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

import atomics
from atomics import instruction_page, sequences
from atomics.orders import FETCHES, OPERATIONS
from tests.atomics import disassembly, execution

README = disassembly.CSRC / "pair" / "README.md"
BACKENDS = [
    (architecture, backend)
    for architecture in sequences.ARCHITECTURES
    for backend in disassembly.backends(architecture)
]
COMPILED = [(*where, compiler) for where, compiler in product(BACKENDS, ("gcc", "clang"))]


def test_the_page_is_made_from_the_data() -> None:
    text = README.read_text(encoding="utf-8")
    assert instruction_page.rewritten(text) == text
    assert all(f"`{backend}`" in text for _, backend in BACKENDS)


@pytest.mark.parametrize(("architecture", "backend"), BACKENDS)
def test_every_operation_and_order_has_one_row(architecture: str, backend: str) -> None:
    rows = [one for one in sequences.table() if one.backend == backend]
    assert {one.architecture for one in rows} == {architecture}
    keys = [(one.operation, one.order) for one in rows]
    assert sorted(keys) == sorted((name, o) for name, orders in OPERATIONS.items() for o in orders)


def test_the_operations_are_those_of_c() -> None:
    text = (disassembly.CSRC / "include" / "dwcas" / "operations.def").read_text()
    assert tuple(re.findall(r"^FETCH\((\w+)\)", text, re.M)) == FETCHES


def test_the_backends_of_this_machine_are_in_the_table() -> None:
    assert all(sequences.of_backend(backend.name) for backend in atomics.backends())


@pytest.mark.parametrize("optimise", ["-O2", "-O3"])
@pytest.mark.parametrize(("architecture", "backend", "compiler"), COMPILED)
def test_the_compiled_kernels_are_those_of_the_table(
    architecture: str, backend: str, compiler: str, optimise: str, tmp_path: Path
) -> None:
    compiled = disassembly.functions(architecture, compiler, backend, optimise, tmp_path)
    wrong = {}
    for (operation, order), row in sequences.of_backend(backend).items():
        body = compiled[f"dwcas_pair_{operation}_{order}_{backend}"]
        found = disassembly.significant(architecture, body)
        if found != row.code:
            wrong[operation, order] = (found, row.code)
    assert wrong == {}


#: The 8-byte addition is the compiler's builtin; clang makes it, at -O0, a compare-and-swap in the
#: strongest order, seeded by a plain load.
CLANG_ADDITION = ("ldr", "ldaxr", "stlxr")


@pytest.mark.parametrize(("architecture", "backend", "compiler"), COMPILED)
def test_what_is_executed_without_optimisation_is_the_table(
    architecture: str, backend: str, compiler: str, tmp_path: Path
) -> None:
    """Once undisturbed; once with a failure, after which a row with "loop" goes again."""
    compiled = disassembly.functions(architecture, compiler, backend, "-O0", tmp_path)
    run = execution.machine(architecture, tmp_path / "exports.o", compiled)
    wrong = {}
    for (operation, order), row in sequences.of_backend(backend).items():
        function = f"dwcas_pair_{operation}_{order}_{backend}"
        code = tuple(name for name in row.code if name != "loop")
        if (backend, compiler) == ("llsc", "clang") and operation in (
            "fetch_add_lo",
            "fetch_add_hi",
        ):
            code = CLANG_ADDITION
        found = run(operation, function, False)
        failing = run(operation, function, True)
        again = failing.count(code[-1]) - found.count(code[-1])
        if found != code or again != ("loop" in row.code):
            wrong[operation, order] = (found, failing, row.code)
    assert wrong == {}


@pytest.mark.parametrize("optimise", ["-O0", "-O2", "-O3"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_only_arithmetic_stands_between_the_exclusives(
    compiler: str, optimise: str, tmp_path: Path
) -> None:
    """At -O0 too, where a compiler would spill: each pair of halves is one asm block."""
    compiled = disassembly.functions("arm64", compiler, "llsc", optimise, tmp_path)
    allowed = r"adds?|adc|subs?|sbcs?|and|orr|eor|mvn|mov|cmp|ccmp|csel|b\.ne"
    exclusive = 0
    for body in compiled.values():
        inside = disassembly.between_exclusives(body)
        exclusive += any("xp" in one.mnemonic for one in body)
        assert all(re.fullmatch(allowed, one.mnemonic) for one in inside)
        assert not any("[" in one.operands for one in inside)
    assert exclusive > 60


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("optimise", ["-O0", "-O2", "-O3"])
def test_casp_registers_are_consecutive_and_even(
    compiler: str, optimise: str, tmp_path: Path
) -> None:
    compiled = disassembly.functions("arm64", compiler, "lse", optimise, tmp_path)
    words = [one for body in compiled.values() for one in body if "casp" in one.mnemonic]
    assert len(words) >= (4 if optimise == "-O0" else 60)
    for one in words:
        first, second, third, fourth = (int(n) for n in re.findall(r"x(\d+)", one.operands)[:4])
        assert (second, fourth) == (first + 1, third + 1)
        assert first % 2 == third % 2 == 0


def test_the_built_library_calls_no_libatomic() -> None:
    import atomics._native

    listing = Path(atomics._native.__file__).read_bytes()
    assert b"libatomic" not in listing
    assert b"__atomic_" not in listing
    assert b"__aarch64_" not in listing
