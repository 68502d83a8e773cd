# SPDX-License-Identifier: MIT
"""The instruction table: operation x order x backend -> instructions, with the reason.

Read from sequences.toml. ``python -P -m atomics.sequences csrc/pair/README.md`` writes the tables
of that file anew; a test compares them, and the compiled objects, with the data.
"""

from __future__ import annotations

import functools
import re
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from atomics.orders import FETCHES, OPERATIONS

ARCHITECTURES = ("x86_64", "arm64")


@dataclass(frozen=True)
class Sequence:
    """What one operation with one order becomes on one backend."""

    architecture: str
    backend: str
    operation: str
    order: str
    code: tuple[str, ...]  #: accesses to the pair and barriers; "loop" = again until it succeeds
    why: str


def _suffixed(code: str, order: str) -> tuple[str, ...]:
    acquires = "a" if order in ("acquire", "acq_rel", "seq_cst") else ""
    releases = "l" if order in ("release", "acq_rel", "seq_cst") else ""
    return tuple(code.format(a=acquires, l=releases).split("; "))


def _expand(architecture: str, row: dict[str, Any]) -> Iterable[Sequence]:
    names = FETCHES if row["operations"] == ["fetches"] else row["operations"]
    for backend in row["backends"]:
        for operation in names:
            if f"{backend}:{operation}" in row.get("except", ()):
                continue
            orders = OPERATIONS[operation] if row["orders"] == "every" else row["orders"]
            for order in orders:
                code = _suffixed(row["code"], order)
                yield Sequence(architecture, backend, operation, order, code, row["why"])


@functools.cache
def _data() -> dict[str, Any]:
    text = (resources.files("atomics") / "sequences.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@functools.cache
def table() -> tuple[Sequence, ...]:
    """Every row of the table, both architectures."""
    data = _data()
    return tuple(
        one
        for architecture in ARCHITECTURES
        for row in data[architecture]
        for one in _expand(architecture, row)
    )


def of_backend(backend: str) -> dict[tuple[str, str], Sequence]:
    """(operation, order) -> sequence, for one backend; empty for an unknown one."""
    return {(one.operation, one.order): one for one in table() if one.backend == backend}


def _markdown(architecture: str) -> str:
    """One line per row of the data."""
    lines = ["| operation | order | backend | instructions | why |", "|---|---|---|---|---|"]
    for row in _data()[architecture]:
        names = ", ".join(row["operations"]).replace("fetches", "exchange, fetch_*, .._add_hi")
        if "except" in row:
            names += " but " + ", ".join(sorted({e.partition(":")[2] for e in row["except"]}))
            names += " of `lse128`"
        orders = row["orders"] if row["orders"] == "every" else ", ".join(row["orders"])
        where = ", ".join(f"`{name}`" for name in row["backends"])
        words = row["code"].format(a="(A)", l="(L)").split("; ")
        shown = "; ".join(word if word == "loop" else word.upper() for word in words)
        lines.append(f"| {names} | {orders} | {where} | {shown} | {row['why']} |")
    return "\n".join(lines)


def rewritten(text: str) -> str:
    """A Markdown text with what stands between ``<!-- table: ARCH -->`` and ``<!-- end -->``
    made anew."""
    return re.sub(
        r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}{_markdown(found[2])}\n{found[3]}",
        text,
        flags=re.DOTALL,
    )


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")
