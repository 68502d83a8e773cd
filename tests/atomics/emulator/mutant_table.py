# SPDX-License-Identifier: MIT
"""Judges every mutant; the page docs/mutants.md, which test_mutants.py compares."""

from __future__ import annotations

import functools
import multiprocessing
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from atomics.emulator import kernels, listing
from atomics.emulator.calls import BINDINGS
from atomics.emulator.check import RIGHT, WRONG, Verdict, check
from atomics.emulator.image import Image, from_words
from atomics.emulator.kernels import Kernel
from atomics.emulator.model import Model, changed
from atomics.emulator.scenario import scenarios, with_peers, world_of
from atomics.emulator.world import object_of
from tests.atomics.emulator.equivalence import Side, equivalent
from tests.atomics.emulator.mutants import Mutant, mutants

#: one kernel per shape: retry loop, CASP, plain pair with barriers, LSE128, halves
KERNELS = (
    "dwcas_pair_compare_exchange_acq_rel_llsc",
    "dwcas_pair_compare_and_set_seq_cst_lse",
    "dwcas_pair_load_acquire_llsc",
    "dwcas_pair_load_seq_cst_lse2",
    "dwcas_pair_load_seq_cst_lse2_rcpc3",
    "dwcas_pair_store_release_llsc",
    "dwcas_pair_store_seq_cst_lse2",
    "dwcas_pair_fetch_add_acq_rel_llsc",
    "dwcas_pair_fetch_max_signed_acq_rel_llsc",
    "dwcas_pair_fetch_xor_acq_rel_lse",
    "dwcas_pair_exchange_acq_rel_lse128",
    "dwcas_pair_fetch_add_hi_acq_rel_llsc",
)
ALIKE = 3  #: scenarios from whose values two sequences are shown to be alike
RULES, EXPLORER, RUNS = "rules", "explorer", "random runs"
EQUIVALENT, RIGHT_TOO = "equivalent", "right too"

#: mutants that behave otherwise and are right all the same: (kernel, rule, offset) -> why
EXPLAINED: dict[tuple[str, str, int], str] = {
    (
        "dwcas_pair_fetch_xor_acq_rel_lse",
        "instruction dropped",
        at,
    ): "a seed only saves a pass; CASP decides"
    for at in (8, 16)
}


@dataclass(frozen=True)
class Row:
    kernel: str
    mutant: Mutant
    was: str
    becomes: str
    fate: str  #: what killed it, or EQUIVALENT or RIGHT_TOO
    note: str  #: length of the trace, the rule's name, or why it is right


def _image(kernel: Kernel, mutant: Mutant) -> Image:
    return from_words(list(mutant.words), kernel.name, kernel.name)


def _sides(kernel: Kernel, image: Image) -> Iterator[Side]:
    beside, specification = with_peers(image), kernel.specification
    binding, model = BINDINGS[specification.name], changed(Model(), kernel.model)
    for one in scenarios(specification, 2, 1)[:ALIKE]:
        memory = object_of(one.initial, 16)
        yield Side(world_of(one, beside, specification, binding, model, memory, []))


@functools.cache
def _ours(kernel: Kernel) -> list[Side]:
    return list(_sides(kernel, kernel.image))


def _alike(kernel: Kernel, mutant: Mutant) -> bool:
    theirs = _sides(kernel, _image(kernel, mutant))
    return all(equivalent(*sides) for sides in zip(_ours(kernel), theirs, strict=True))


def _fate(kernel: Kernel, name: str, mutant: Mutant, verdict: Verdict) -> tuple[str, str]:
    if verdict.errors:
        return RULES, verdict.errors[0].rule
    wrong = next((one for one in verdict.explored if one.result == WRONG), None)
    if wrong is not None:
        return EXPLORER, f"{len(wrong.trace)} steps"
    if verdict.walks is not None and verdict.walks.wrong is not None:
        return RUNS, f"{len(verdict.walks.wrong.trace)} steps"
    assert verdict.result == RIGHT, f"{name} {mutant.rule} {mutant.offset}: not decided"
    if _alike(kernel, mutant):
        return EQUIVALENT, ""
    return RIGHT_TOO, EXPLAINED.get((name, mutant.rule, mutant.offset), "")


def _row(name: str, mutant: Mutant) -> Row:
    kernel = kernels.kernels()[name]
    verdict = check(
        _image(kernel, mutant),
        kernel.specification,
        order=kernel.order,
        model=changed(Model(), kernel.model),
        limit=200_000,
        runs=100,
    )
    at = mutant.offset
    return Row(
        name,
        mutant,
        listing.text(kernels.words(name)[at // 4], at),
        listing.text(mutant.words[at // 4], at),
        *_fate(kernel, name, mutant, verdict),
    )


def rows() -> list[Row]:
    """Every mutant of every kernel, judged; by forked processes, so with what a test patched."""
    every = [(name, one) for name in KERNELS for one in mutants(tuple(kernels.words(name)))]
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("fork")) as pool:
        return list(pool.map(_row, *zip(*every, strict=True), chunksize=4))


HEAD = """# Mutants of our kernels

A checker is only believed when it has been seen to catch what is wrong. Here every rule of
[mutants.py](../tests/atomics/emulator/mutants.py) changes one instruction of a kernel, or swaps two
neighbours, wherever it applies; the checker does not know where. Each mutant is killed, by the
rules, by exploring every interleaving of two CPUs or by random runs, or it is shown *equivalent*:
its accesses, stores and results are the same for every answer of the memory, taken from the values
of three scenarios ([equivalence.py](../tests/atomics/emulator/equivalence.py)). What behaves
otherwise and is *right too* says why. The rules come first, so a mutant that several would kill is
counted under the first. This page is made by a test (`MUTANTS=write pytest
tests/atomics/emulator/test_mutants.py`) and compared by it.
"""


def page(judged: list[Row]) -> str:
    """The text of docs/mutants.md."""
    fates = (RULES, EXPLORER, RUNS, EQUIVALENT, RIGHT_TOO)
    lines = [HEAD, f"| change | mutants | {' | '.join(fates)} |", "|---" * 7 + "|"]
    kinds = list(dict.fromkeys(row.mutant.rule for row in judged))
    for kind in [*kinds, None]:
        mine = [row for row in judged if kind in (None, row.mutant.rule)]
        count = Counter(row.fate for row in mine)
        cells = " | ".join(str(count[fate]) for fate in fates)
        lines.append(f"| {kind or '**all**'} | {len(mine)} | {cells} |")
    for name in KERNELS:
        lines += ["", f"## `{name}`", "", "| at | change | instruction | becomes | fate | |",
                  "|---" * 6 + "|"]  # fmt: skip
        for row in judged:
            if row.kernel == name:
                lines.append(
                    f"| +{row.mutant.offset} | {row.mutant.rule} | `{row.was}` | `{row.becomes}` "
                    f"| {row.fate} | {row.note} |"
                )
    return "\n".join(lines) + "\n"
