# SPDX-License-Identifier: MIT
"""What the options of the commands about whole insertions say; every refusal is a UsageError."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from atomics import topology
from wal_bench import engine, insert, insert_write, names, options, placement
from wal_bench import flush as flushes
from wal_bench.byte_sizes import parse_bytes
from wal_bench.contender import Contender
from wal_bench.engine import WindowPlan
from wal_bench.errors import UsageError
from wal_bench.insert import InsertPlan
from wal_bench.insert_contenders import STOCK_PUBLISH, TELLING, contenders, gates_order, gates_text
from wal_bench.insert_path import inserting
from wal_bench.layout import Layout
from wal_bench.log_files import KEPT_SEGMENTS
from wal_bench.plan import BASELINE, Plan
from wal_bench.run import HISTORY_BYTES, SIZE_TABLE
from wal_bench.sizes import parse_sizes

#: Records of a TPC-C transaction: measured, PostgreSQL 15, mix of 45/43/4/4/4 on 4 warehouses.
COMMIT_EVERY = 40

_COPIES = {"real": True, "none": False}
_MOST_PAGES = 1 << 19  #: 4 GiB in pages of 8 KiB
_MOST_COMMIT_EVERY = 1_000_000
_MOST_RECORDS = 10_000_000
_WRITE_LIMIT_NS = 600 * 10**9
_SPARE_SEGMENTS = 2  #: one is being filled, one made ready


def _items(text: str) -> list[str]:
    """A list as written, each item once."""
    return list(dict.fromkeys(item.strip() for item in text.split(",")))


def parse_gates(text: str) -> tuple[int, ...]:
    """``1,8,none``: numbers of gates, 0 for none."""
    found = []
    for item in _items(text):
        number = int(item) if re.fullmatch(r"\d{1,9}", item, re.ASCII) else -1
        if item != "none" and not (1 <= number <= insert.MOST_GATES and number & (number - 1) == 0):
            raise UsageError(
                f"gate {text!r}: {item!r} is neither none nor a power of two from 1 to "
                f"{insert.MOST_GATES}"
            )
        found.append(0 if item == "none" else number)
    return tuple(found)


def insert_plan(
    copy: str, ring_pages: int, segment_size: str, page_size: str, switch_every: int = 0
) -> InsertPlan:
    """What all insertions of a command share."""
    options.whole("ring-pages", ring_pages, 2, _MOST_PAGES)
    if ring_pages & (ring_pages - 1):
        raise UsageError(f"ring-pages {ring_pages}: a power of two is needed")
    try:
        layout = Layout(
            parse_bytes("page-size", page_size), parse_bytes("segment-size", segment_size)
        )
    except ValueError as wrong:
        raise UsageError(str(wrong)) from None
    return InsertPlan(
        layout=layout,
        copy=names.row("copy", copy, _COPIES),
        ring_pages=ring_pages,
        switch_every=switch_every,
    )


def all_contenders(
    methods: Sequence[str],
    gates: str,
    publish: str,
    flush: str,
    commit_every: int | None,
    wal_dir: str | None,
    shared: InsertPlan,
) -> tuple[Contender, ...]:
    """Every combination that the options ask for."""
    rows = [
        options.linking(name, "; --copy none") if shared.copy else options.reserving(name)
        for name in methods or TELLING
    ]
    published = [insert.publisher(name).name for name in _items(publish)]
    ways = [flushes.flush(name) for name in _items(flush)]
    options.whole("commit-every", commit_every, 1, _MOST_COMMIT_EVERY)
    files = [way.name for way in ways if way.default is not None]
    if files and not shared.copy:
        raise UsageError(f"flush {files[0]}: nothing is copied that it could write; --copy real")
    for name, asked in (("commit-every", commit_every), ("wal-dir", wal_dir)):
        if asked is not None and not files:
            raise UsageError(f"{name} {asked}: nothing is flushed; --flush tmpfs or fdatasync")
    return contenders(
        rows,
        parse_gates(gates),
        published,
        [
            (
                way,
                way.directory(wal_dir),
                0 if way.default is None else commit_every or COMMIT_EVERY,
            )
            for way in ways
        ],
        shared,
    )


def require_fit(plan: Plan) -> None:
    """Raise what a window would raise later; EnvironmentUnfit if the files would not fit."""
    most = max(plan.threads)
    sizes = plan.sizes.aligned
    for contender in plan.contenders:
        path = contender.path
        assert path is not None
        layout = path.insert.layout
        start = layout.usable_in_segment
        insert.check(path.insert, sizes, most, start, contender.method.links)
        if path.wal_dir is not None:
            kept = (KEPT_SEGMENTS + _SPARE_SEGMENTS) * layout.segment_size
            history = max(HISTORY_BYTES, int(sizes.max()) * most) if plan.check else 0
            flushes.require_space(
                path.wal_dir, max(kept, history + _SPARE_SEGMENTS * layout.segment_size)
            )


def written_plan(
    directory: Path,
    shared: InsertPlan,
    method: str,
    gate: str,
    publish: str,
    records: int,
    threads: int,
    sizes: str,
    pin: str,
    seed: int | None,
) -> WindowPlan:
    """The one window of ``wal-bench write``; its directory is made if all else is right."""
    options.whole("records", records, 1, _MOST_RECORDS)
    options.whole("threads", threads, 1, engine.MAX_THREADS)
    options.whole("switch-every", shared.switch_every, 0, _MOST_RECORDS)
    gates = parse_gates(gate)
    if len(gates) > 1:
        raise UsageError(f"gate {gate!r}: one number of gates, or none, is needed")
    insertion = replace(
        shared,
        gates=gates[0],
        publish=insert.publisher(publish).name,
        directory=directory,
    )
    row = options.linking(method)
    lengths = parse_sizes(sizes)
    cpus = placement.place(pin, threads, topology.read_topology())
    rng = np.random.default_rng(options.seed_or_random(seed))
    table = lengths.table(SIZE_TABLE, rng)
    start = insertion.layout.usable_in_segment
    insert.check(insertion, table, threads, start, row.links)
    insert_write.empty_directory(directory)
    each = -(-records // threads)
    bytes_ = int(each * threads * table.mean()) + _SPARE_SEGMENTS * insertion.layout.segment_size
    flushes.require_space(directory, bytes_)
    plan = WindowPlan(
        method=row.name,
        cpus=cpus,
        sizes=table,
        offsets=rng.integers(0, table.size, threads).astype(np.uint32),
        warmup_ns=0,
        window_ns=_WRITE_LIMIT_NS,
        history=each,
    )
    return inserting(plan, insertion)


def stock_added(methods: Sequence[str], gates: str, publish: str) -> bool:
    """Whether stock PostgreSQL is measured though nobody asked for it."""
    return not (
        BASELINE in (methods or TELLING)
        and insert.STOCK_GATES in parse_gates(gates)
        and STOCK_PUBLISH in _items(publish)
    )


def described(plan: Plan) -> list[str]:
    """The contenders for people."""
    paths = [c.path for c in plan.contenders if c.path is not None]
    gates = sorted({path.insert.gates for path in paths}, key=gates_order)
    where = {
        path.flush.name: f" in {path.wal_dir}, every {path.insert.commit_every} records"
        if path.wal_dir is not None
        else ""
        for path in paths
    }
    shared = paths[0].insert
    return [
        f"methods   {', '.join(dict.fromkeys(c.method.name for c in plan.contenders))}",
        f"gates     {', '.join(map(gates_text, gates))}",
        f"copy      {next(name for name, copy in _COPIES.items() if copy == shared.copy)}, "
        f"ring of {shared.ring_pages} pages",
        f"publish   {', '.join(dict.fromkeys(path.insert.publish for path in paths))}",
        f"flush     {', '.join(name + said for name, said in where.items())}",
    ]
