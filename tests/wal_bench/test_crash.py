# SPDX-License-Identifier: MIT
"""Processes that are really killed while they insert; the oracle is what they had acknowledged.

Broken on purpose, and caught: commits acknowledged without a flush, watermarks over a hole.
"""

from __future__ import annotations

import re
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.wal_bench.test_cli import COMMAND, bench, refused
from wal_bench import insert
from wal_bench.crash import Crash, crash, judge
from wal_bench.engine import Records, WindowPlan, records, run_window
from wal_bench.errors import EnvironmentUnfit, UsageError
from wal_bench.insert import Disturbance, InsertPlan
from wal_bench.kills import kill_many
from wal_bench.layout import Layout
from wal_bench.sizes import parse_sizes
from wal_bench.wal_reader import Wal, read_wal

LAYOUT = Layout(8192, 1 << 20)
TPCC = parse_sizes("tpcc")


def plan(directory: Path, method: str = "cas128", threads: int = 4, **changes: Any) -> WindowPlan:
    start = LAYOUT.usable_in_segment
    path = {"layout": LAYOUT, "directory": directory, "ring_pages": 64, "commit_every": 10}
    return WindowPlan(
        method=method,
        cpus=(-1,) * threads,
        sizes=TPCC.table(1024, np.random.default_rng(1)),
        offsets=np.arange(threads, dtype=np.uint32) * 17,
        history=10_000,
        window_ns=4_000_000_000,
        start_tip=start,
        start_prev=start - 64,
        insert=InsertPlan(**(path | changes)),
    )


@pytest.mark.parametrize("point", insert.points())
def test_death_at_a_point_loses_no_acknowledged_commit(tmp_path: Path, point: str) -> None:
    passage = 1 if point == "segment-end" else 60
    found = crash(plan(tmp_path, disturbance=Disturbance(point, passage)), None)
    assert found.killed
    assert found.findings == ()
    assert found.recovered >= found.acknowledged > LAYOUT.usable_in_segment
    assert found.records > 0


def test_the_hole_of_a_dead_process_is_told(tmp_path: Path) -> None:
    found = crash(plan(tmp_path, gates=0, disturbance=Disturbance("reserved", 500)), None)
    assert found.in_flight > 0
    assert found.findings == ()


def test_two_hundred_kills_through_the_command() -> None:
    result = bench("crash", "--kills", "200", "--seed", "7")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "200 logs: no acknowledged commit was lost, no record recovered was wrong" in (
        result.stdout
    )
    killed = [
        int(n) for n in re.findall(r"^\S.{11} +(\d+) +\d+ +\d+ +\d+  -$", result.stdout, re.M)
    ]
    assert len(killed) == 1 + len(insert.points())
    assert sum(killed) > 150
    assert "WRONG" not in result.stdout


@pytest.mark.parametrize(
    ("publish", "early"), [("ring", True), ("broken-hole", False), ("broken-blind", False)]
)
def test_a_seeded_fault_is_caught(publish: str, early: bool) -> None:
    done = kill_many(40, 3, ["cas128"], [publish], TPCC, early=early)
    rules = {f.rule for kill in done.wrong for f in kill.crash.findings}
    assert "lost" in rules


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--kills", "0"), ("kills 0", "1 to")),
        (("--method", "faa-bound"), ("faa-bound", "no prev link")),
        (("--method", "cas182"), ("cas182", "did you mean cas128?")),
        (("--sizes", "no"), ("no",)),
    ],
)
def test_mistakes_are_refused(arguments: tuple[str, ...], said: tuple[str, ...]) -> None:
    refused(bench("crash", *arguments), 2, *said)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    refused(bench("crash", "--dir", str(tmp_path / "none")), 3, "none", "No such file")


def test_a_process_that_cannot_write_says_why(tmp_path: Path) -> None:
    (tmp_path / "000000010000000000000001").mkdir()  # where a segment should be
    with pytest.raises(EnvironmentUnfit, match="writing failed"):
        crash(plan(tmp_path), None)


def test_a_plan_without_a_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="directory"):
        crash(replace(plan(tmp_path), insert=None), None)


def test_ctrl_c_keeps_what_is_done_and_leaves_nothing_behind(tmp_path: Path) -> None:
    command = [*COMMAND, "crash", "--kills", "100", "--dir", str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        process.stderr.readline()  # a tenth is done
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted: what was done is judged" in said
    assert "no acknowledged commit was lost" in said
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[WindowPlan, Records, Wal]:
    """A run that nobody killed, and its log."""
    directory = tmp_path_factory.mktemp("log")
    made = replace(plan(directory, switch_every=100, early=False), history=500)
    recorded = records(made)
    assert recorded is not None
    assert run_window(made, recorded).status == "ok"
    return made, recorded, read_wal(sorted(directory.iterdir()))


def judged(whole: tuple[WindowPlan, Records, Wal], **changes: Any) -> Crash:
    made, recorded, wal = whole
    wal = replace(wal, records=changes.pop("log", wal.records))
    return judge(made, replace(recorded, **changes), wal, True)


def rules(found: Crash) -> list[str]:
    return [f.rule for f in found.findings]


def test_a_whole_log_is_judged_right(whole: tuple[WindowPlan, Records, Wal]) -> None:
    found = judged(whole)
    assert (rules(found), found.returned, found.records) == ([], 2000, 2000)
    assert found.in_flight == found.hole == 0


def test_a_log_that_ends_before_an_acknowledged_commit(
    whole: tuple[WindowPlan, Records, Wal],
) -> None:
    found = judged(whole, log=whole[2].records[:-100])
    assert rules(found) == ["lost"]
    assert found.hole > 0


@pytest.mark.parametrize(
    ("field", "change"), [("end", 8), ("prev_lsn", 8), ("length", 1), ("xid", 1)]
)
def test_a_record_that_is_another(
    whole: tuple[WindowPlan, Records, Wal], field: str, change: int
) -> None:
    log = whole[2].records.copy()
    log[field][700] += change
    assert rules(judged(whole, log=log)) == ["wrong-record"]


def test_a_record_that_is_missing(whole: tuple[WindowPlan, Records, Wal]) -> None:
    log = np.delete(whole[2].records, 700)
    assert rules(judged(whole, log=log)) == ["missing"]


def test_more_records_on_their_way_than_a_thread_can_have(
    whole: tuple[WindowPlan, Records, Wal],
) -> None:
    history = whole[1].history.copy()
    history[1, -2:] = 0
    assert rules(judged(whole, history=history)) == ["wrong-record"]
    history = whole[1].history.copy()
    history[1, -1:] = 0
    assert rules(judged(whole, history=history)) == []
