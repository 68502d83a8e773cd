# SPDX-License-Identifier: MIT
"""docs/methods: a page for every method that is compared, and an index in the registry's order."""

from __future__ import annotations

import re
from pathlib import Path

from wal_bench import engine
from wal_bench.plan import COMPARED

PAGES = Path(__file__).parents[2] / "docs" / "methods"
ROWS = {m.name: m.kind for m in engine.methods() if m.kind in COMPARED}


def test_the_index_lists_every_method_with_its_kind() -> None:
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(.+?)\]\(\1\.md\) \| ([a-z-]+) \|", index, re.M)
    assert rows == list(ROWS.items())


def test_every_method_has_a_page_of_its_kind() -> None:
    for name, kind in ROWS.items():
        text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {name}\n{kind.capitalize()}. "), name
        assert re.findall(r"^## (.+)$", text, re.M) == [
            "Idea",
            "State",
            "Invariant",
            "Cost",
            "Source",
        ], name
