# SPDX-License-Identifier: MIT
"""What a check is: a small function that looks at one thing of a host, and the list of them.

To add one: a function with @check in the file it belongs to; its name is the function's, with
spaces. What it cannot read it reports as ``unreadable``, and guesses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from wal_bench.doctor.host import Host

Level = Literal["ok", "note", "warn", "bad"]

#: What they mean, mildest first.
LEVELS: Mapping[Level, str] = {
    "ok": "nothing to do",
    "note": "know it when you read figures",
    "warn": "noisier figures, or other ones than you think",
    "bad": "do not measure like this",
}


@dataclass(frozen=True)
class Seen:
    """What one check saw."""

    level: Level
    found: str
    means: str  #: for a measurement
    advice: str | None = None  #: what to do about it
    values: Mapping[str, object] = field(default_factory=dict)  #: strict JSON; null: not readable


def unreadable(what: str, means: str) -> Seen:
    """What could not be read, and what therefore stays open."""
    return Seen("note", f"cannot be read: {what}", means)


Look = Callable[[Host], Seen]


@dataclass(frozen=True)
class Check:
    """One row."""

    name: str
    look: Look
    before_run: bool  #: takes no time, and every run says it if it is more than a note


CHECKS: list[Check] = []


def check(*, before_run: bool = False) -> Callable[[Look], Look]:
    """Register a function under its own name."""

    def register(look: Look) -> Look:
        CHECKS.append(Check(look.__name__.replace("_", " "), look, before_run))
        return look

    return register


def examine(host: Host, before_run: bool = False) -> Iterator[tuple[Check, Seen]]:
    """All checks in their order, or only those of every run."""
    for row in CHECKS:
        if row.before_run or not before_run:
            yield row, row.look(host)
