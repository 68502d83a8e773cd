# SPDX-License-Identifier: MIT
"""The JSON document against its schema, and where it is written."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from atomics.output import Target
from atomics.topology import read_topology
from tests.wal_bench import made
from tests.wal_bench.schemas import validated
from wal_bench import machine, result
from wal_bench.errors import UsageError
from wal_bench.run import Run
from wal_bench.verdict import verdict


def document(run: Run) -> dict[str, Any]:
    record = machine.record(read_topology()) | {"load_after": 0.5}
    return validated(result.dumps(result.document(run, verdict(run), record)))


def steady(mops: float) -> list[float]:
    return [mops] * 7


def test_figures_carry_median_interval_and_count() -> None:
    rates = {2: {"spin": [10.0, 11, 12, 13, 14, 15, 16], "cas128": steady(26.0)}}
    found = document(made.run(rates))
    spin, cas = found["results"]
    assert spin["ops_per_s"] == {"median": 13e6, "low": 10e6, "high": 16e6, "n": 7}
    assert cas["ratio_to_spin"]["median"] == 2.0
    assert cas["ratio_to_bound"] is None
    assert cas["latency_ns"]["p99"] == {"median": 7.0, "low": 7.0, "high": 7.0, "n": 7}
    assert cas["jain"] is None
    assert found["verdict"]["by_threads"][0]["winners"] == ["cas128"]
    assert all(entry["checked"] for entry in found["results"])


def test_a_cell_without_a_valid_window_has_nulls_not_zeros() -> None:
    run = made.run({2: {"spin": steady(10), "mutex": steady(5), "cas128": []}})
    run.cells[2].samples.append(made.sample(0, 1.0, "no progress"))
    stuck = document(run)["results"][2]
    assert stuck["ops_per_s"] is None
    assert stuck["latency_ns"] is None
    assert stuck["ratio_to_spin"] is None
    assert stuck["no_progress"] == [{"round": 0, "counts": [3, 4]}]


def test_a_cell_that_never_ran_is_not_checked() -> None:
    run = made.run({2: {"spin": steady(10), "mutex": []}}, ended="interrupted")
    assert document(run)["results"][1]["checked"] is False


def test_findings_and_disturbances_are_kept() -> None:
    run = made.run({2: {"spin": steady(10), "mutex": steady(5)}})
    samples = run.cells[1].samples
    samples[2] = replace(samples[2], findings=(made.finding(),), disturbed="something")
    mutex = document(run)["results"][1]
    assert mutex["checked"] is False
    assert mutex["findings"] == [{"rule": "tile", "text": made.finding().text}]
    assert mutex["disturbed"] is True
    assert mutex["disturbed_windows"] == [{"round": 2, "text": "something"}]


def test_json_is_strict() -> None:
    with pytest.raises(ValueError, match="Out of range float"):
        result.dumps({"x": float("nan")})


def test_the_file_appears_whole_and_replaces_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text("old")
    target = Target("json", str(path))
    assert path.read_text() == "old"
    target.write("{}")
    assert path.read_text() == "{}\n"
    assert path.stat().st_mode & 0o111 == 0
    assert os.listdir(tmp_path) == ["run.json"]


def test_checking_a_new_path_leaves_nothing_behind(tmp_path: Path) -> None:
    Target("json", str(tmp_path / "run.json"))
    assert os.listdir(tmp_path) == []


def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        Target("json", str(tmp_path / "run.json")).write("{}")
    finally:
        os.umask(before)
    assert (tmp_path / "run.json").stat().st_mode & 0o777 == 0o640


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.json"
    path.write_text("old")
    target = Target("json", str(path))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "chmod", full)
    with pytest.raises(OSError, match="No space"):
        target.write("{}")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["run.json"]


def test_a_symbolic_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    Target("json", str(tmp_path / "link.json")).write("{}")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "{}\n"


@pytest.mark.parametrize("where", ["missing/run.json", "", "file/run.json"])
def test_an_unwritable_path_is_refused_at_once(where: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError) as refused:
        Target("json", f"{tmp_path}/{where}")
    assert str(refused.value).startswith(f"json {tmp_path}")


@pytest.mark.parametrize("text", ["", "\0", "x" * 300])
def test_an_impossible_path_is_refused_at_once(text: str) -> None:
    with pytest.raises(UsageError):
        Target("json", text)
