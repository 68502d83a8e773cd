# SPDX-License-Identifier: MIT
"""Who is compared when whole records are inserted: every combination, and stock PostgreSQL.

Stock PostgreSQL is the method spin behind 8 gates that publishes by inserting-at. It runs at every
way to flush, and each ratio is to the one that copies and flushes alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from wal_bench import words
from wal_bench.contender import Contender
from wal_bench.engine import Method, method
from wal_bench.flush import Flush
from wal_bench.insert import MOST_GATES, STOCK_GATES, InsertPlan
from wal_bench.insert_path import InsertPath
from wal_bench.plan import BASELINE

STOCK = "stock PostgreSQL"
CONTROL = "stock again"  #: the A/A control
STOCK_PUBLISH = InsertPlan().publish

#: A spinlock, one that sleeps, 128 bits, 64 bits, fetch-add. No lock that serves in order: with
#: more threads than CPUs these show the scheduler, and `run --all` shows that better.
TELLING = (BASELINE, "mutex", "cas128-backoff", "cas64-seeded", "faa-link")

_Way = tuple[Method, int, str]  #: method, gates, publish


def contenders(
    methods: Sequence[Method],
    gates: Sequence[int],
    publish: Sequence[str],
    flushes: Sequence[tuple[Flush, Path | None, int]],
    shared: InsertPlan,
) -> tuple[Contender, ...]:
    """The product, stock PostgreSQL first. ``flushes``: a way, where its files lie, commit_every.

    ``shared`` says everything else.
    """
    stock = (method(BASELINE), STOCK_GATES, STOCK_PUBLISH)
    asked = [(m, g, p) for g, m, p in product(gates, methods, publish)]
    named = {stock: STOCK} | {
        way: _name(way, len(publish) > 1) for way in dict.fromkeys(asked) if way != stock
    }
    return tuple(
        Contender(
            method=way[0],
            name=name,
            baseline=name == STOCK,
            control=name == CONTROL,
            path=InsertPath(
                replace(shared, gates=way[1], publish=way[2], commit_every=commit_every),
                flush,
                wal_dir,
            ),
        )
        for flush, wal_dir, commit_every in flushes
        for way, name in [*named.items(), (stock, CONTROL)]
    )


def gates_text(gates: int) -> str:
    """``no gates``, ``1 gate``, ``8 gates``."""
    return words.count(gates, "gate") if gates else "no gates"


def gates_order(gates: int) -> int:
    """None are more than any number: as many may insert at once as there are threads."""
    return gates or MOST_GATES + 1


def _name(way: _Way, publish: bool) -> str:
    where = f"behind {gates_text(way[1])}" if way[1] else "without gates"
    return f"{way[0].name} {where}" + (f" by {way[2]}" if publish else "")
