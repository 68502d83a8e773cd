# SPDX-License-Identifier: MIT
"""Segment files that windows use again and again: none is made or lost while one runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wal_bench.engine import WindowPlan, run_window
from wal_bench.errors import EnvironmentUnfit
from wal_bench.flush import flush
from wal_bench.insert import InsertPlan
from wal_bench.insert_path import InsertPath, inserting
from wal_bench.layout import Layout
from wal_bench.log_files import KEPT_SEGMENTS, LogFiles, fresh, segment_name

LAYOUT = Layout(512, 4096)


def window(path: InsertPath, files: LogFiles, records: int, history: bool) -> None:
    with path.plan(files, history) as insert:
        plan = WindowPlan(
            method="cas128",
            cpus=(-1, -1),
            sizes=np.array([64, 200], np.uint32),
            offsets=np.zeros(2, np.uint32),
            history=records,
        )
        done = run_window(inserting(plan, insert))
        assert done.insert is not None
        assert done.insert.commits == 2 * records // 5


def inodes(directory: Path) -> set[int]:
    return {one.stat().st_ino for one in directory.iterdir()}


def test_windows_share_their_files_and_a_history_has_its_own(tmp_path: Path) -> None:
    path = InsertPath(InsertPlan(LAYOUT, commit_every=5, ring_pages=8), flush("tmpfs"), tmp_path)
    with LogFiles() as files:
        path.prepare(files)
        (ours,) = tmp_path.iterdir()
        first = inodes(ours)
        assert len(first) == KEPT_SEGMENTS
        for records in (10, 500, 40):  # more than one segment, more than all, few
            window(path, files, records, history=False)
            assert inodes(ours) == first
        window(path, files, 500, history=True)
        assert inodes(ours) == first
        assert files.recycled(tmp_path, LAYOUT) == ours
        assert sorted(one.name for one in ours.iterdir()) == [
            segment_name(LAYOUT, number) for number in range(1, KEPT_SEGMENTS + 1)
        ]
        assert {one.stat().st_size for one in ours.iterdir()} == {LAYOUT.segment_size}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("segment", "name"),
    [(1, "000000010000000000000001"), (255, "0000000100000000000000FF"),
     (256, "000000010000000100000000")],
)  # fmt: skip
def test_names_are_those_of_postgresql(segment: int, name: str) -> None:
    assert segment_name(Layout(8192, 16 << 20), segment) == name


def test_a_parent_that_went_away_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with (
        LogFiles() as files,
        pytest.raises(EnvironmentUnfit, match=f"wal-dir {gone}: No such file"),
    ):
        files.prepare(gone, LAYOUT)
    with pytest.raises(EnvironmentUnfit, match="No such file"), fresh(gone):
        pass
