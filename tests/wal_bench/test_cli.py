# SPDX-License-Identifier: MIT
"""The command as a user runs it: real processes, exit codes, what lands where."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.wal_bench.schemas import validated
from wal_bench import engine, plan, sizes

COMMAND = (sys.executable, "-P", "-m", "wal_bench")
QUICK = ("run", "--threads", "1,2", "--rounds", "3", "--window", "5ms")
ROWS = [m for m in engine.methods() if m.kind in plan.COMPARED]
COMPARED = [m.name for m in ROWS]
TELLING = [m.name for m in ROWS if m.telling]


def bench(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_COLOR": "1", **options.pop("env", {})}
    return subprocess.run(
        [*COMMAND, *arguments],
        env=environment,
        text=True,
        timeout=120,
        **({"capture_output": True} | options),
    )


def refused(result: subprocess.CompletedProcess[str], code: int, *said: str) -> None:
    """One line on stderr that says it, nothing on stdout, the right exit code."""
    assert result.returncode == code
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert result.stderr.startswith("wal-bench: error: ")
    assert all(words in result.stderr for words in said), result.stderr


def kept(cell: dict[str, Any]) -> int:
    """Windows whose figures count: a busy machine may leave none of 5 ms."""
    aside = {one["round"] for one in cell["set_aside"]}
    return sum(
        s["status"] == "ok" and bool(s["figures"]) and s["round"] not in aside
        for s in cell["samples"]
    )


def test_a_run_ends_with_a_table_a_verdict_and_valid_json(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    result = bench(*QUICK, "--check", "--json", str(path))
    assert result.returncode == 0, result.stderr
    found = validated(path.read_text())
    assert [(r["method"], r["threads"]) for r in found["results"]] == [
        (name, threads) for threads in (1, 2) for name in TELLING
    ]
    assert all(r["checked"] and r["history_operations"] for r in found["results"])
    # A window of 5 ms may be empty on a busy machine; it was run and checked all the same.
    assert all(r["windows"] == 3 for r in found["results"])
    for one in found["results"]:
        assert (one["ops_per_s"] is not None) == (kept(one) > 0)
    assert found["verdict"]["ended"] == "complete"
    assert all(name in result.stdout for name in TELLING)
    shown = " ".join(result.stdout.split())
    assert all(line.partition(": ")[2] in shown for line in found["verdict"]["text"])


def test_json_on_stdout_is_json_only_and_the_table_is_on_stderr() -> None:
    result = bench(*QUICK, "--method", "cas128", "--json", "-")
    assert result.returncode == 0
    assert validated(result.stdout)["plan"]["methods"] == ["spin", "cas128"]
    assert "Mops/s" in result.stderr


def test_the_baseline_is_added_and_said() -> None:
    result = bench(*QUICK, "--method", "cas128")
    assert "wal-bench: spin is measured too" in result.stderr
    assert "cas64-packed" not in result.stdout


def test_a_repeated_method_counts_once() -> None:
    result = bench(
        *QUICK, "--method", "spin", "--method", "cas128", "--method", "cas128", "--json", "-"
    )
    assert validated(result.stdout)["plan"]["methods"] == ["spin", "cas128"]


def test_the_same_seed_gives_the_same_plan() -> None:
    plans = [
        validated(bench(*QUICK, "--seed", "5", "--json", "-").stdout)["plan"] for _ in range(2)
    ]
    assert plans[0] == plans[1]
    assert plans[0]["seed"] == 5


@pytest.mark.parametrize(
    "name", ["broken-lost-update", "broken-wrong-prev", "broken-torn-pair", "broken-retry-size"]
)
def test_a_broken_method_is_caught_and_exits_1(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    arguments = ("--method", name, "--threads", "4", "--rounds", "10", "--window", "10ms")
    result = bench("run", *arguments, "--check", "--json", str(path))
    assert result.returncode == 1, result.stderr
    found = validated(path.read_text())
    assert {r["method"]: r["checked"] for r in found["results"]} == {"spin": True, name: False}
    assert f"wal-bench: wrong: {name} with 4 threads: " in result.stderr
    assert f"WRONG: {name} with 4 threads" in " ".join(result.stdout.split())


def test_no_progress_is_reported_with_counts_and_does_not_hang(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    result = bench(*QUICK, "--method", "broken-stuck", "--json", str(path))
    assert result.returncode == 0
    expected = "no progress: broken-stuck with 2 threads; reservations per thread: 0, 0"
    assert expected in result.stderr
    stuck = validated(path.read_text())["results"][3]
    assert stuck["no_progress"] == [{"round": 0, "counts": [0, 0]}]
    assert stuck["ops_per_s"] is None


def test_threads_that_cannot_be_stopped_end_the_run_with_its_results(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    result = bench(*QUICK, "--method", "broken-deaf", "--json", str(path))
    assert result.returncode == 1
    assert validated(path.read_text())["verdict"]["ended"] == "abandoned"
    assert "a method could not be stopped" in result.stdout


@pytest.mark.parametrize(
    ("signals", "code"),
    [
        ((signal.SIGINT,), 130),
        ((signal.SIGINT,) * 5, 130),
        ((signal.SIGTERM,) * 2, 143),
        ((signal.SIGHUP,), 129),
    ],
    ids=["ctrl-c", "impatient", "terminate", "hang-up"],
)
def test_a_signal_keeps_partial_results(
    tmp_path: Path, signals: tuple[signal.Signals, ...], code: int
) -> None:
    path = tmp_path / "run.json"
    child = subprocess.Popen(
        [
            *COMMAND,
            "run",
            "--threads",
            "1",
            "--rounds",
            "10000",
            "--window",
            "5ms",
            "--json",
            str(path),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    while "round 5 " not in child.stderr.readline():
        assert child.poll() is None
    for number in signals:
        child.send_signal(number)
    out, error = child.communicate(timeout=60)
    assert child.returncode == code
    found = validated(path.read_text())
    assert found["verdict"]["ended"] == "interrupted"
    assert found["verdict"]["rounds_done"] >= 4
    assert all(r["windows"] >= 4 and r["checked"] for r in found["results"])
    assert "interrupted" in out
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--threads", "0"), ("threads '0'", "1 to 16384")),
        (("--threads", "-4"), ("threads '-4'", "1 to 16384")),
        (("--threads", "1000000"), ("threads '1000000'", "1 to 16384")),
        (("--threads", "many"), ("'many' is no thread count",)),
        (("--pin", "99999"), ("CPU 99999 is not among those allowed here",)),
        (("--pin", "sideways"), ("pin 'sideways'", "none, compact, scatter")),
        (("--method", "cas182"), ("method 'cas182'", "did you mean cas128?")),
        (("--method", "engine-only"), ("method engine-only", "reserves nothing")),
        (("--sizes", "tpcd"), ("sizes 'tpcd'", "did you mean tpc")),
        (("--sizes", "fixed:7"), ("length 7 is out of range", "25 to 1069547520")),
        (("--sizes", "file:/no/such/file"), ("/no/such/file: No such file",)),
        (("--json", "/no/such/folder/run.json"), ("json /no/such/folder/run.json: cannot be",)),
        (("--rounds", "0"), ("rounds 0", "1 to 10000")),
        (("--seed", "-1"), ("seed -1",)),
        (("--window", "soon"), ("window 'soon'", "200ms")),
        (("--window", "999us"), ("window 999us", "at least 1ms")),
        (("--budget", "0"), ("budget '0'",)),
        (("--budget", ""), ("budget ''",)),
        (("--budget", "100ms"), ("budget 100 ms", "ask for that budget")),
        (("--bugdet", "1s"), ("--bugdet",)),
        (("surplus",), ("surplus",)),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    arguments: tuple[str, ...], said: tuple[str, ...]
) -> None:
    refused(bench("run", *arguments), 2, *said)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty"),
        ("total_length,count\n", "no record is counted"),
        ("total_length,count\n64,1\n12,5\n", ":3: length 12 is out of range"),
        ("total_length,count\n64;1\n", ":2: '64;1': two whole numbers"),
        ("length,n\n64,1\n", ":1: 'length,n': the first line must be total_length,count"),
    ],
)
def test_a_bad_size_file_is_named_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "sizes.csv"
    path.write_text(content)
    refused(bench("run", "--sizes", f"file:{path}"), 2, str(path), said)


def test_a_size_file_is_used(tmp_path: Path) -> None:
    path = tmp_path / "sizes.csv"
    path.write_text("total_length,count\n100,3\n200,1\n")
    result = bench(*QUICK, "--method", "spin", "--sizes", f"file:{path}", "--json", "-")
    assert validated(result.stdout)["plan"]["sizes"]["mean_bytes"] == (3 * 104 + 200) / 4


@pytest.mark.skipif(platform.machine() != "x86_64", reason="every arm64 CPU has LDXP/STXP")
def test_without_a_16_byte_cas_it_says_what_is_missing_and_exits_3() -> None:
    result = bench("run", env={"DWCAS_DISABLE": "cmpxchg16b", "DWCAS_BACKEND": ""})
    refused(result, 3, "no 16-byte compare-and-swap", "cmpxchg16b")


def test_a_closed_stdout_is_found_before_the_run() -> None:
    result = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, "run"],
        stderr=subprocess.PIPE,
        text=True,
        timeout=20,
    )
    assert result.returncode == 3
    assert result.stderr.splitlines() == [
        "wal-bench: error: stdout is closed; give it a file, a pipe or a terminal"
    ]


def test_a_closed_stderr_does_not_leak_into_stdout() -> None:
    arguments = ("sh", "-c", 'exec "$@" 2>&-', "sh", *COMMAND)
    result = subprocess.run([*arguments, "run", "--nope"], capture_output=True, timeout=20)
    assert (result.returncode, result.stdout) == (2, b"")
    result = subprocess.run([*arguments, *QUICK, "--json", "-"], capture_output=True, timeout=60)
    assert result.returncode == 0
    validated(result.stdout.decode())


def test_threads_that_the_system_refuses_cost_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    limited = ("sh", "-c", 'ulimit -v 400000; exec "$@"', "sh", *COMMAND, "run", "--threads")
    options = ("--rounds", "3", "--window", "5ms", "--method", "cas128", "--json", str(path))
    result = subprocess.run(
        [*limited, "1,4000", *options], capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 3
    assert "wal-bench: error: threads 4000: the system refused thread " in result.stderr
    found = validated(path.read_text())
    assert found["verdict"]["ended"] == "refused"
    assert [r["windows"] for r in found["results"]] == [1, 1, 0, 0]


def broken_pipe(*arguments: str) -> tuple[int, str]:
    """Run with a stdout whose reader has gone."""
    child = subprocess.Popen(
        [*COMMAND, *QUICK, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    error = child.stderr.read()
    child.stderr.close()
    return child.wait(60), error


def test_a_table_that_nobody_reads_goes_to_stderr() -> None:
    code, error = broken_pipe()
    assert code == 3
    assert "Mops/s" in error
    assert error.splitlines()[-1].startswith("wal-bench: error: stdout took no more (Broken pipe)")
    assert "Traceback" not in error


def test_a_broken_pipe_does_not_touch_the_json(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    code, error = broken_pipe("--json", str(path))
    assert code == 3
    assert validated(path.read_text())["verdict"]["ended"] == "complete"
    assert "Mops/s" not in error


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error_and_the_table_is_still_shown() -> None:
    result = bench(*QUICK, "--json", "/dev/full")
    assert result.returncode == 3
    assert "Mops/s" in result.stdout
    assert result.stderr.splitlines()[-1].startswith("wal-bench: error: json /dev/full: ")


def test_dry_run_prints_the_plan_and_measures_nothing() -> None:
    result = bench("run", "--dry-run", "--threads", "1..64", "--budget", "600", "--seed", "9")
    assert result.returncode == 0
    assert "1, 2, 4, 8, 16, 32, 64" in result.stdout
    assert "seed 9" in result.stdout
    assert "about " in result.stdout
    assert f"methods   {', '.join(TELLING)}\n" in result.stdout
    everything = bench("run", "--dry-run", "--all")
    assert f"methods   {', '.join(COMPARED)}\n" in everything.stdout
    assert set(TELLING) < set(COMPARED)


def test_all_and_some_contradict_each_other() -> None:
    refused(bench("run", "--all", "--method", "cas128"), 2, "all: every method is meant")


def test_list_names_methods_locks_and_sizes() -> None:
    found = json.loads(bench("list", "--json").stdout)
    assert found["schema"] == "dwcas.list/1"
    assert [m["name"] for m in found["methods"]] == COMPARED
    assert {"name": "mcs", "methods": ["mcs"]} in found["locks"]
    assert tuple(s["name"] for s in found["sizes"]) == sizes.names()
    publish = [row["name"] for row in found["publish"]]
    assert publish == ["inserting-at", "ring", "watermark"]
    text = bench("list").stdout
    assert all(name in text for name in (*COMPARED, *publish, *sizes.names()))
    assert "broken-" not in text
    starred = [line.split()[1] for line in text.splitlines() if line.startswith("* ")]
    assert starred == TELLING


def test_list_all_names_the_broken_ones_too() -> None:
    found = json.loads(bench("list", "--all", "--json").stdout)
    assert [m["name"] for m in found["methods"]] == [m.name for m in engine.methods()]


def test_without_arguments_there_is_help() -> None:
    assert "run" in bench().stdout + bench().stderr
    assert bench("--help").returncode == 0
