# SPDX-License-Identifier: MIT
"""The instruction table: operation x order x backend -> instructions, with the reason.

Read from sequences.toml. instruction_page.py makes csrc/pair/README.md from it; a test compares the
page, and the compiled objects, with the data.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
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
def data() -> dict[str, Any]:
    """The rows as they are written down, by architecture."""
    text = (resources.files("atomics") / "sequences.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@functools.cache
def table() -> tuple[Sequence, ...]:
    """Every row of the table, both architectures."""
    rows = data()
    return tuple(
        one
        for architecture in ARCHITECTURES
        for row in rows[architecture]
        for one in _expand(architecture, row)
    )


def of_backend(backend: str) -> dict[tuple[str, str], Sequence]:
    """(operation, order) -> sequence, for one backend; empty for an unknown one."""
    return {(one.operation, one.order): one for one in table() if one.backend == backend}


def summary(backend: str) -> list[dict[str, str]]:
    """One entry per row of the data for a backend: operations, orders, code (with (A) in orders
    that acquire and (L) in those that release) and why."""
    rows = (row for name in ARCHITECTURES for row in data()[name] if backend in row["backends"])
    return [
        shown(
            row,
            [e[len(backend) + 1 :] for e in row.get("except", ()) if e.startswith(f"{backend}:")],
        )
        for row in rows
    ]


def shown(row: dict[str, Any], but: list[str]) -> dict[str, str]:
    """One row of the data as words; ``but`` names the fetches it is not for."""
    words = row["code"].format(a="(A)", l="(L)").split("; ")
    names = ", ".join(row["operations"]).replace("fetches", "exchange, fetch_*, .._add_hi")
    return {
        "operations": names + (f" but {', '.join(but)}" if but else ""),
        "orders": row["orders"] if row["orders"] == "every" else ", ".join(row["orders"]),
        "code": "; ".join(word if word == "loop" else word.upper() for word in words),
        "why": row["why"],
    }
