# SPDX-License-Identifier: MIT
"""Every mutant of our kernels is killed, proven equivalent, or right for a reason that is given."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from atomics.emulator import check, local
from tests.atomics.emulator import mutant_table

PAGE = Path(__file__).parents[3] / "docs" / "mutants.md"


@pytest.fixture(scope="module")
def judged() -> list[mutant_table.Row]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "ROOM", 200_000)  # a mutant that grows without end is found sooner
        patch.setattr(check, "ORDERED", 0)  # our kernels' order depends on no operand
        return mutant_table.rows()


def test_every_mutant_is_killed_or_explained(judged: list[mutant_table.Row]) -> None:
    assert len(judged) > 250
    open_ = [
        (row.kernel, row.mutant.rule, row.mutant.offset, row.was, row.becomes)
        for row in judged
        if row.fate == mutant_table.RIGHT_TOO and not row.note
    ]
    assert open_ == []
    used = {(r.kernel, r.mutant.rule, r.mutant.offset) for r in judged
            if r.fate == mutant_table.RIGHT_TOO}  # fmt: skip
    assert used == set(mutant_table.EXPLAINED)


def test_each_way_of_looking_kills_some(judged: list[mutant_table.Row]) -> None:
    fates = {row.fate for row in judged}
    assert {mutant_table.RULES, mutant_table.EXPLORER, mutant_table.EQUIVALENT} <= fates


def test_the_page_is_what_comes_out(judged: list[mutant_table.Row]) -> None:
    text = mutant_table.page(judged)
    if os.environ.get("MUTANTS") == "write":
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text
