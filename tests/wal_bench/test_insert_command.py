# SPDX-License-Identifier: MIT
"""``wal-bench insert`` and ``wal-bench write`` as a user runs them."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.wal_bench.postgresql import LISTED, programs
from tests.wal_bench.schemas import validated
from tests.wal_bench.test_cli import COMMAND, bench, refused
from wal_bench.wal_reader import read_wal

QUICK = ("insert", "--threads", "1,2", "--rounds", "3", "--window", "5ms")
FEW = (*QUICK, "--method", "cas128", "--gate", "1,none")
TMPFS = Path("/dev/shm")


def document(*arguments: str) -> dict[str, Any]:
    result = bench(*arguments, "--json", "-")
    assert result.returncode == 0, result.stderr
    return validated(result.stdout)


def test_every_combination_and_stock_postgresql_are_measured(tmp_path: Path) -> None:
    path = tmp_path / "insert.json"
    result = bench(*FEW, "--publish", "ring,watermark", "--check", "--json", str(path))
    assert result.returncode == 0, result.stderr
    assert "wal-bench: stock PostgreSQL is measured too" in result.stderr
    found = validated(path.read_text())
    stock = ("spin", 8, "inserting-at")
    wanted = [("cas128", gates, by) for gates in (1, None) for by in ("ring", "watermark")]
    for threads in (1, 2):
        cells = [r for r in found["results"] if r["threads"] == threads]
        assert [(r["method"], r["gates"], r["publish"]) for r in cells] == [stock, *wanted]
        assert cells[0]["name"] == "stock PostgreSQL"
    assert all(r["checked"] and r["history_operations"] for r in found["results"])
    assert all(r["windows"] == 3 for r in found["results"])
    assert found["verdict"]["checked"]
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) < 80
    assert "…" not in result.stdout
    shown = " ".join(result.stdout.split())
    assert all(line.partition(": ")[2] in shown for line in found["verdict"]["text"])


def test_what_is_not_flushed_has_no_commits() -> None:
    found = document(*FEW)
    assert found["plan"]["flush"] == [{"name": "none", "commit_every": None}]
    assert {r["commits_per_flush"] for r in found["results"]} == {None}
    assert {r["gate_waits_per_op"] is None for r in found["results"] if r["gates"] is None} == {
        True
    }


@pytest.mark.parametrize("flush", ["tmpfs", "fdatasync"])
def test_a_flush_counts_commits_and_leaves_no_file(flush: str, tmp_path: Path) -> None:
    if flush == "tmpfs" and not TMPFS.is_dir():
        pytest.skip("/dev/shm is not there")
    before = set(TMPFS.glob("dwcas-wal-*"))
    where = ["--wal-dir", str(tmp_path)] if flush == "fdatasync" else []
    asked = ("--flush", f"none,{flush}", "--commit-every", "5", "--window", "20ms")
    found = document(*FEW, *asked, *where)
    flushed = [r for r in found["results"] if r["flush"] == flush]
    assert len(flushed) == len(found["results"]) // 2
    batches = [
        (sample["figures"]["commits_per_flush"], row["threads"])
        for row in flushed
        for sample in row["samples"]
        if "commits_per_flush" in sample["figures"]
    ]
    assert batches
    # One flush serves all that wait, at most one commit of each thread.
    assert all(0 < batch <= threads for batch, threads in batches)
    heats = [(s["threads"], s["flush"]) for s in found["verdict"]["by_threads"]]
    assert heats == [(1, "none"), (1, flush), (2, "none"), (2, flush)]
    assert list(tmp_path.iterdir()) == []
    assert set(TMPFS.glob("dwcas-wal-*")) == before


def test_ctrl_c_keeps_the_results_and_leaves_no_file(tmp_path: Path) -> None:
    path, logs = tmp_path / "insert.json", tmp_path / "logs"
    logs.mkdir()
    arguments = ["insert", "--threads", "2", "--rounds", "1000", "--window", "20ms", "--flush"]
    arguments += ["fdatasync", "--method", "spin", "--gate", "8", "--wal-dir", str(logs)]
    with subprocess.Popen(
        [*COMMAND, *arguments, "--json", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stderr is not None
        while "round 2 of" not in child.stderr.readline():
            pass
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60)
    assert child.returncode == 130
    found = validated(path.read_text())
    assert found["verdict"]["ended"] == "interrupted"
    assert found["verdict"]["rounds_done"] >= 1
    assert list(logs.iterdir()) == []


def test_a_way_to_publish_that_is_wrong_is_caught() -> None:
    """broken-blind shows itself on one CPU, too; broken-backwards needs two asking at once."""
    arguments = ("--method", "cas128", "--gate", "none", "--publish", "broken-blind")
    result = bench("insert", "--threads", "4", "--rounds", "3", "--window", "10ms", *arguments,
                   "--check", "--json", "-")  # fmt: skip
    assert result.returncode == 1
    found = validated(result.stdout)
    checked = {r["publish"]: r["checked"] for r in found["results"]}
    assert checked == {"inserting-at": True, "broken-blind": False}


def test_without_a_copy_a_method_may_return_no_link() -> None:
    found = document(*QUICK, "--method", "faa-bound", "--gate", "none", "--copy", "none")
    assert [r["kind"] for r in found["results"]] == ["lock", "bound"] * 2
    assert not found["plan"]["copy"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--gate", "3"], ["gate '3'", "neither none nor a power of two from 1 to 128"]),
        (["--gate", "256"], ["'256'", "from 1 to 128"]),
        (["--gate", ""], ["gate ''"]),
        (["--publish", "rin"], ["way to publish 'rin'", "did you mean ring?"]),
        (["--flush", "fsync"], ["flush 'fsync'", "did you mean fdatasync?"]),
        (["--copy", "half"], ["copy 'half'", "did you mean real?"]),
        (["--method", "faa-bound"], ["faa-bound", "no prev link", "--copy none"]),
        (["--commit-every", "3"], ["commit-every 3", "nothing is flushed"]),
        (["--flush", "tmpfs", "--commit-every", "0"], ["commit-every 0", "1 to"]),
        (["--wal-dir", "/tmp"], ["wal-dir /tmp", "nothing is flushed"]),
        (["--flush", "tmpfs", "--copy", "none"], ["flush tmpfs", "--copy real"]),
        (["--flush", "fdatasync", "--wal-dir", "/nowhere"], ["/nowhere", "no such directory"]),
        (["--flush", "tmpfs", "--wal-dir", "/proc"], ["/proc", "tmpfs"]),
        (["--ring-pages", "5"], ["ring-pages 5", "power of two"]),
        (["--ring-pages", "1"], ["ring-pages 1", "2 to"]),
        (["--page-size", "8000"], ["page size 8000", "power of two"]),
        (["--page-size", "8 KiX"], ["page-size '8 KiX'", "8KiB"]),
        (["--segment-size", "1PiB"], ["segment-size '1PiB'", "16MiB"]),
    ],
)
def test_what_makes_no_sense_is_one_line(arguments: list[str], said: list[str]) -> None:
    refused(bench("insert", *arguments), 2, *said)


def test_a_log_that_was_written_is_read_by_postgresql_too(tmp_path: Path) -> None:
    log = tmp_path / "log"
    arguments = ("--records", "2000", "--threads", "4", "--segment-size", "1MiB")
    result = bench("write", str(log), *arguments, "--switch-every", "200", "--gate", "4")
    assert result.returncode == 0, result.stderr
    assert "right: " in result.stdout
    files = sorted(log.iterdir())
    ours = read_wal(files).records
    dumped = subprocess.run(
        [programs() / "pg_waldump", "--path", log, files[0].name, files[-1].name],
        capture_output=True,
        text=True,
        timeout=120,
    )
    theirs = [m for m in map(LISTED.match, dumped.stdout.splitlines()) if m]
    lsns = [int(m[4], 16) << 32 | int(m[5], 16) for m in theirs]
    assert lsns == ours["start_lsn"].tolist()
    assert len(lsns) >= 2000


def test_a_log_is_not_written_over_another(tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    refused(bench("write", str(tmp_path)), 2, str(tmp_path), "not empty")
    assert [one.name for one in tmp_path.iterdir()] == ["precious"]
    refused(bench("write", str(tmp_path / "precious")), 2, "File exists")
    refused(bench("write", str(tmp_path / "new"), "--gate", "1,8"), 2, "gate '1,8'", "one number")
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small tmpfs")
def test_a_file_system_that_is_too_small_is_named(tmp_path: Path) -> None:
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(tmp_path)])
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        result = bench("insert", "--flush", "tmpfs", "--wal-dir", str(tmp_path))
        refused(result, 3, str(tmp_path), "8 MiB are free", "--segment-size")
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
