# SPDX-License-Identifier: MIT
"""The commands about whole insertions: ``wal-bench insert`` and ``wal-bench write``."""

from __future__ import annotations

from typing import Annotated

import typer

from atomics import command
from wal_bench import options
from wal_bench.options import PROG, option

_Ring = Annotated[int, option("--ring-pages", "Pages in memory, a power of two.", "N")]
_Segment = Annotated[str, option("--segment-size", "Of the log's files.", "SIZE")]
_Page = Annotated[str, option("--page-size", "Of the log's pages.", "SIZE")]
_RING, _SEGMENT, _PAGE = 512, "16MiB", "8KiB"  # PostgreSQL's with 128 MB of shared_buffers


def insert(
    method: options.Methods = None,
    gate: Annotated[
        str, option("--gate", "Insertion locks: powers of two to 128, none.", "LIST")
    ] = "1,8,none",
    copy: Annotated[
        str, option("--copy", "real: header, CRC and body into pages; or none.", "NAME")
    ] = "real",
    publish: Annotated[
        str, option("--publish", "Ways to publish; `wal-bench list` has them.", "LIST")
    ] = "inserting-at",
    flush: Annotated[str, option("--flush", "Of none, tmpfs, fdatasync.", "LIST")] = "none",
    commit_every: Annotated[
        int | None,
        option("--commit-every", "Records per awaited flush. Default: 40, as TPC-C.", "N"),
    ] = None,
    wal_dir: Annotated[
        str | None, option("--wal-dir", "Where log files are, for a while.", "DIR")
    ] = None,
    ring_pages: _Ring = _RING,
    segment_size: _Segment = _SEGMENT,
    page_size: _Page = _PAGE,
    threads: options.Threads = options.THREADS,
    sizes: options.Sizes = options.SIZES,
    pin: options.Pin = options.PIN,
    rounds: options.Rounds = None,
    window: options.Window = None,
    budget: options.Budget = None,
    seed: options.Seed = None,
    check: options.Check = False,
    json_: Annotated[
        str | None,
        option("--json", "Write dwcas.insert/1; - is stdout, the table on stderr.", "FILE"),
    ] = None,
    dry_run: options.DryRun = False,
) -> None:
    """Measure whole insertions: gates x method x publish x flush, against stock PostgreSQL."""
    from wal_bench import insert_options

    command.require_stdout()
    methods = method or []
    shared = insert_options.insert_plan(copy, ring_pages, segment_size, page_size)
    contenders = insert_options.all_contenders(
        methods, gate, publish, flush, commit_every, wal_dir, shared
    )
    plan = options.plan_of(contenders, threads, sizes, pin, rounds, window, budget, seed, check)
    insert_options.require_fit(plan)
    if insert_options.stock_added(methods, gate, publish):
        command.say(PROG, "stock PostgreSQL is measured too: every ratio is to it")
    if dry_run:
        command.emit(options.described(plan, *insert_options.described(plan)))
        return
    from wal_bench import insert_result, insert_table, insert_verdict, job

    report = job.Report(
        insert_verdict.verdict,
        lambda found: found.judged,
        insert_result.document,
        insert_table.render,
    )
    raise typer.Exit(job.run(PROG, plan, json_, report))


def write(
    directory: Annotated[str, typer.Argument(help="New or empty.", metavar="DIR")],
    method: Annotated[str, option("--method", "How places are reserved.", "NAME")] = "spin",
    gate: Annotated[str, option("--gate", "Insertion locks: 1,2,4..128, none.", "N")] = "8",
    publish: Annotated[
        str, option("--publish", "`wal-bench list` has the ways.", "NAME")
    ] = "inserting-at",
    records: Annotated[int, option("--records", "Of all threads, rounded up.", "N")] = 100_000,
    threads: Annotated[int, option("--threads", "How many insert.", "N")] = 2,
    switch_every: Annotated[
        int, option("--switch-every", "Every so many'th of a thread ends a segment.", "N")
    ] = 0,
    ring_pages: _Ring = _RING,
    segment_size: _Segment = _SEGMENT,
    page_size: _Page = _PAGE,
    sizes: options.Sizes = options.SIZES,
    pin: options.Pin = options.PIN,
    seed: options.Seed = None,
) -> None:
    """Insert records into a log that stays in DIR, read it back and compare."""
    from pathlib import Path

    from wal_bench import insert_options, insert_write

    command.require_stdout()
    shared = insert_options.insert_plan(
        "real", ring_pages, segment_size, page_size, switch_every=switch_every
    )
    plan = insert_options.written_plan(
        Path(directory), shared, method, gate, publish, records, threads, sizes, pin, seed
    )
    written = insert_write.write(plan)
    command.emit(insert_write.text(written))
    raise typer.Exit(int(bool(written.findings)))
