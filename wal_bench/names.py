# SPDX-License-Identifier: MIT
"""A row of a registry by its name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TypeVar

from wal_bench.errors import UsageError

Row = TypeVar("Row")


def row(what: str, name: str, rows: Mapping[str, Row], instead: str | None = None) -> Row:
    """The row of that name; UsageError with the nearest name, or ``instead``: where to find them,
    by default all of them."""
    if name in rows:
        return rows[name]
    near = difflib.get_close_matches(name, rows, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}?" if near else instead or f"there are {', '.join(rows)}"
    raise UsageError(f"{what} {name!r}: no such {what}; {hint}")
