# SPDX-License-Identifier: MIT
"""Whole insertions, really made: every method, gate and way to publish, read back from files.

Pages, segments and rings are so small that records are longer than the ring, rings lap, and
records and switches begin and end at every place around page and segment boundaries. Oracles:
insert_oracle on the history, the reader on the files, PostgreSQL's own pg_waldump.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.wal_bench.postgresql import LISTED, programs
from wal_bench import engine, insert, oracle
from wal_bench.errors import EnvironmentUnfit, UsageError
from wal_bench.findings import Finding
from wal_bench.insert import InsertPlan
from wal_bench.insertions import Insertions
from wal_bench.layout import Layout
from wal_bench.log_oracle import check_log, read_directory
from wal_bench.wal_reader import Wal

CPUS = len(os.sched_getaffinity(0))
METHODS = [m.name for m in engine.methods() if m.links and m.kind in engine.RIVALS]
#: They serve in order: with more threads than CPUs each insertion takes time slices.
IN_ORDER = ("ticket", "mcs", "clh", "cohort")
PUBLISH = [p.name for p in insert.publishers() if not p.broken]
BROKEN = [p.name for p in insert.publishers() if p.broken]
TINY = Layout(512, 2048)
#: All lengths around a page's 488 and a segment's 1936 usable bytes, and two rings' lengths.
SIZES = np.array([*range(32, 560, 8), 5000, 40, 72, 1936, 1928, 1944, 2400], np.uint32)


def run(
    directory: Path | None, method: str, threads: int, history: int, **changes: Any
) -> engine.Window:
    layout = changes.setdefault("layout", TINY)
    start = layout.usable_in_segment * changes.pop("segment", 1)
    path = {"ring_pages": 2, "directory": directory}
    return engine.run_window(
        engine.WindowPlan(
            method=method,
            cpus=(-1,) * threads,
            sizes=changes.pop("sizes", SIZES),
            offsets=np.arange(threads, dtype=np.uint32) * 7,
            history=history,
            window_ns=changes.pop("window_ns", 20_000_000_000),
            start_tip=start,
            start_prev=start - 64,
            insert=InsertPlan(**(path | changes)),
        )
    )


def insertions(window: engine.Window) -> Insertions:
    assert window.history is not None
    assert window.inserted is not None
    assert window.plan.insert is not None
    counts = window.threads["total_ops"]
    rows = [
        np.arange(n) < c for n, c in zip([window.plan.history] * counts.size, counts, strict=True)
    ]
    return Insertions(
        window.plan.insert,
        window.history[np.array(rows)],
        window.inserted[np.array(rows)],
        counts,
        window.start_tip,
        window.end_tip,
        ended=True,
    )


def checked(window: engine.Window) -> tuple[list[Finding], Wal]:
    """What the oracle says of a window, and of its log."""
    assert window.plan.insert is not None
    assert window.plan.insert.directory is not None
    assert window.insert is not None
    wal = read_directory(window.plan.insert.directory)
    found = oracle.check_window(window, True)
    return found + check_log(
        wal, insertions(window), written=window.insert.written, start_prev=window.start_prev
    ), wal


def waldump(directory: Path) -> str:
    """What PostgreSQL's own tool lists of a log."""
    files = sorted(path.name for path in directory.iterdir())
    return subprocess.run(
        [programs() / "pg_waldump", "-p", directory, files[0], files[-1]],
        env={"LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=60,
    ).stdout


@pytest.mark.parametrize("publish", PUBLISH)
@pytest.mark.parametrize("gates", [0, 1, 8])
@pytest.mark.parametrize("threads", [1, 2, 8 * CPUS])
def test_every_way_and_gate_writes_the_log_that_it_says(
    tmp_path: Path, threads: int, gates: int, publish: str
) -> None:
    switch = {"switch_every": 5} if gates else {}
    window = run(
        tmp_path, "cas128", threads, 400 // threads, gates=gates, publish=publish, **switch
    )
    assert window.status == "ok"
    assert checked(window)[0] == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("threads", [2, 8 * CPUS])
def test_every_method_inserts(tmp_path: Path, method: str, threads: int) -> None:
    each = 400 // threads if method not in IN_ORDER else 60 // threads
    window = run(tmp_path, method, threads, each, gates=8, switch_every=5, commit_every=3)
    assert window.status == "ok"
    assert checked(window)[0] == []


def test_many_threads(tmp_path: Path) -> None:
    window = run(tmp_path, "cas64-seeded", 64 * CPUS, 20, gates=128, ring_pages=8, commit_every=4)
    assert window.status == "ok"
    assert checked(window)[0] == []


def test_records_and_switches_at_every_place_around_boundaries(tmp_path: Path) -> None:
    """One thread; each length is followed by switches and by each other length."""
    sizes = np.random.default_rng(5).choice(SIZES, 3000)
    window = run(tmp_path, "spin", 1, 3000, gates=1, switch_every=3, sizes=sizes)
    found, wal = checked(window)
    assert found == []
    in_page = set((wal.records["start_lsn"] % TINY.page_size).tolist())
    ends = set((wal.records["end_lsn"] % TINY.page_size).tolist())
    assert in_page == {*range(24, 512, 8)}  # 24 is after a short header, 40 after a long one
    assert ends == {*range(0, 512, 8)} - {8, 16, 24}  # never in a header, nor right after one


@pytest.mark.parametrize("segment", [1 << 20, (1 << 32) // 2048 - 3, (1 << 61) // 2048])
def test_places_far_up(tmp_path: Path, segment: int) -> None:
    """LSN that need more than 32 bits, and positions that the packed methods wrap."""
    for method in ("cas64-packed", "cas64-seeded", "cas128"):
        folder = tmp_path / method
        folder.mkdir()
        window = run(folder, method, 4, 100, gates=8, segment=segment, switch_every=5)
        assert checked(window)[0] == []


def test_segment_files_are_reused(tmp_path: Path) -> None:
    window = run(tmp_path, "cas128", 4, 200, keep_segments=4, commit_every=1)
    found, wal = checked(window)
    assert found == []
    assert len(list(tmp_path.iterdir())) == 4
    assert 0 < wal.records.size < 800


@pytest.mark.parametrize("sync", [False, True])
def test_commits_wait_for_their_flush(tmp_path: Path, sync: bool) -> None:
    window = run(
        tmp_path, "cas128", 4, 200, commit_every=10, sync=sync, ring_pages=64,
        layout=Layout(8192, 1 << 20), sizes=np.array([64, 96], np.uint32),
    )  # fmt: skip
    assert checked(window)[0] == []
    assert window.insert is not None
    assert window.insert.commits == 80
    assert 0 < window.insert.flushes <= 80
    assert window.insert.commit_wait_ns > 0


@pytest.mark.skipif(CPUS < 2, reason="needs two CPUs")
def test_what_one_was_told_another_is_not_told_less_of_later() -> None:
    """Stamped before its store was there for all, an answer was ahead of later ones in 30 %."""
    cpus = tuple(sorted(os.sched_getaffinity(0))[:2])
    sizes = np.array([40, 136, 64, 320], np.uint32)
    for number in range(25):
        window = engine.run_window(
            engine.WindowPlan(
                method="cas128",
                cpus=cpus,
                sizes=sizes,
                offsets=np.array([0, number % 4], np.uint32),
                history=20_000,
                window_ns=5_000_000_000,
                insert=InsertPlan(gates=0, publish="ring"),
            )
        )
        assert oracle.check_window(window, True) == []


def test_without_files_the_watermark_still_frees_the_ring() -> None:
    window = run(None, "cas128", 4, 500, publish="ring")
    assert oracle.check_window(window, True) == []
    assert window.insert is not None
    assert window.insert.watermark == window.end_tip


def test_without_a_copy_a_method_needs_no_link() -> None:
    window = run(None, "faa-bound", 4, 500, copy=False)
    assert oracle.check_window(window, False) == []


@pytest.mark.parametrize("publish", BROKEN)
def test_a_broken_way_to_publish_is_caught(tmp_path: Path, publish: str) -> None:
    """Threads that share CPUs are interrupted in their copies, sooner or later."""
    found: list[Finding] = []
    for attempt in range(20):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        window = run(
            folder, "cas128", 4 * CPUS, 2000, gates=0, publish=publish, ring_pages=8,
            window_ns=500_000_000,
        )  # fmt: skip
        found += oracle.check_window(window, True)
        if found:
            break
    assert found


@pytest.mark.parametrize("method", ["spin", "cas128", "faa-link"])
def test_pg_waldump_reads_what_was_inserted(tmp_path: Path, method: str) -> None:
    layout = Layout(8192, 1 << 20)
    sizes = np.random.default_rng(2).choice(np.arange(32, 3000, 8), 500).astype(np.uint32)
    window = run(
        tmp_path, method, 4, 1000, layout=layout, sizes=sizes, switch_every=300, ring_pages=16
    )
    found, wal = checked(window)
    assert found == []
    dumped = waldump(tmp_path)
    listed = [
        (int(length), int(xid), int(high, 16) << 32 | int(low, 16),
         int(prev_high, 16) << 32 | int(prev_low, 16))
        for _, length, xid, high, low, prev_high, prev_low in LISTED.findall(dumped)
    ]  # fmt: skip
    ours = [(r["length"], r["xid"], r["start_lsn"], r["prev_lsn"]) for r in wal.records]
    assert len(listed) == 4000
    assert listed == ours
    assert dumped.count("desc: SWITCH") == window.insert.switches  # type: ignore[union-attr]


@pytest.mark.parametrize("left", [8, 16, 24, 32])
def test_a_switch_that_crosses_into_a_segment_gives_up_that_one(tmp_path: Path, left: int) -> None:
    """With fewer than 24 bytes left, as pg_waldump, too, has it."""
    layout = Layout(8192, 1 << 20)
    usable = layout.usable_in_segment
    sizes = np.array([usable - left, 64, 72, 80], np.uint32)
    window = run(tmp_path, "spin", 1, 4, layout=layout, sizes=sizes, gates=1, switch_every=2)
    found, wal = checked(window)
    assert found == []
    dumped = waldump(tmp_path)
    starts = [int(high, 16) << 32 | int(low, 16)
              for _, _, _, high, low, _, _ in LISTED.findall(dumped)]  # fmt: skip
    assert starts == wal.records["start_lsn"].tolist()
    after = 3 if left < 24 else 2  # segments
    assert wal.records["start"][2] == usable * after


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"gates": 3}, "gates 3: none"),
        ({"gates": 256}, "gates 256: none"),
        ({"ring_pages": 1}, "ring of 1 pages"),
        ({"publish": "rings"}, "did you mean ring?"),
        ({"gates": 0, "switch_every": 5}, "switch: needs gates"),
        ({"version": 14}, "version 14"),
        ({"sizes": np.array([24], np.uint32)}, "size 24: a record has at least 32"),
        ({"commit_every": -1}, "must not be negative"),
        ({"disturbance": insert.Disturbance("nowhere")}, "point nowhere: one of reserved"),
    ],
)
def test_plans_without_sense_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        run(None, "cas128", 2, 10, **changes)


def test_a_method_without_links_cannot_copy() -> None:
    with pytest.raises(UsageError, match="no prev link"):
        run(None, "faa-bound", 2, 10)


def test_a_directory_that_is_none_or_takes_nothing(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentUnfit, match="No such file"):
        run(tmp_path / "none", "cas128", 2, 10)
    (tmp_path / "000000010000000000000001").mkdir()  # where a segment should be
    window = {"layout": Layout(8192, 1 << 20)}
    with pytest.raises(EnvironmentUnfit, match="writing failed"):
        run(tmp_path, "cas128", 2, 2000, **window)
