# SPDX-License-Identifier: MIT
"""Real runs where CPUs are few: a mask of one, a cpuset, a quota. Right, warned of, or refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from tests.wal_bench.real_cgroup import group

COMMAND = (sys.executable, "-P", "-m", "wal_bench")
SHORT = ("--method", "cas128", "--rounds", "3", "--window", "5ms", "--json", "-")
CPUS = sorted(os.sched_getaffinity(0))


def bench(
    *arguments: str, within: Sequence[str] = (), mask: Sequence[int] = CPUS
) -> subprocess.CompletedProcess[str]:
    """The command in a process that may use these CPUs only."""
    code = "import os, sys; os.sched_setaffinity(0, map(int, sys.argv[1].split(','))); "
    code += "os.execv(sys.argv[2], sys.argv[2:])"
    start = (sys.executable, "-I", "-S", "-c", code, ",".join(map(str, mask)))
    return subprocess.run(
        [*within, *start, *COMMAND, *arguments], capture_output=True, text=True, timeout=120
    )


def rows(result: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    return {row["check"]: row for row in json.loads(result.stdout)["checks"]}


def warned(result: subprocess.CompletedProcess[str], of: str) -> bool:
    return f"wal-bench: warning: {of}: " in result.stderr


@pytest.mark.parametrize("pin", ["none", "compact", "scatter"])
def test_on_one_cpu_a_run_is_right_and_says_that_threads_take_turns(pin: str) -> None:
    only = CPUS[-1]
    result = bench("run", "--threads", "1,2", "--pin", pin, *SHORT, mask=[only])
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["machine"]["cpus"] == [only]
    assert [row["threads"] for row in found["results"]] == [1, 1, 2, 2]
    assert found["verdict"]["checked"]
    assert warned(result, "cpus")


@pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs")
def test_two_threads_on_two_cpus_are_not_warned_of() -> None:
    assert not warned(bench("run", "--threads", "1,2", *SHORT, mask=CPUS[:2]), "cpus")
    pinned = bench("run", "--threads", "1,2", "--pin", str(CPUS[0]), *SHORT, mask=CPUS[:2])
    assert warned(pinned, "cpus")


def test_one_thread_on_one_cpu_is_not_warned_of() -> None:
    assert not warned(bench("run", "--threads", "1", *SHORT, mask=CPUS[:1]), "cpus")


@pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs")
def test_a_cpu_outside_the_mask_is_refused() -> None:
    result = bench("run", "--pin", str(CPUS[0]), *SHORT, mask=CPUS[1:])
    assert result.returncode == 2
    assert f"CPU {CPUS[0]} is not among those allowed here" in result.stderr


def test_the_doctor_on_one_cpu_watches_that_one() -> None:
    result = bench("doctor", "--json", "-", mask=[CPUS[-1]])
    found = rows(result)
    assert found["cpus"]["values"]["usable"] == [CPUS[-1]]
    assert found["cpus"]["level"] == "warn"
    assert [cpu["cpu"] for cpu in found["waits"]["values"]["cpus"]] == [CPUS[-1]]


def test_a_quota_is_warned_of_and_a_run_in_it_ends_right() -> None:
    with group("cpu", {1: {"cpu.cfs_quota_us": "40000"}, 2: {"cpu.max": "40000 100000"}}) as inside:
        result = bench("run", "--threads", "1,2", *SHORT, within=inside)
        doctor = bench("doctor", "--json", "-", within=inside)
    assert result.returncode == 0, result.stderr
    assert doctor.returncode == 1
    found = json.loads(result.stdout)
    assert found["machine"]["cpu_quota"] == 0.4
    assert found["verdict"]["checked"]
    assert warned(result, "quota")
    told = rows(doctor)["quota"]
    assert told["level"] == "bad"
    assert told["values"]["cpus"] == 0.4
    assert told["values"]["throttled"] > 0


def test_in_a_cpuset_only_its_cpus_are_used() -> None:
    only = CPUS[-1]
    limit = {"cpuset.cpus": str(only)}
    with group("cpuset", {1: limit, 2: limit}) as inside:
        # The mask that is asked for is cut by the cpuset.
        result = bench("run", "--threads", "1,2", *SHORT, within=inside)
        told = rows(bench("doctor", "--json", "-", within=inside))
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["machine"]["cpus"] == [only]
    assert found["verdict"]["checked"]
    assert told["cpuset"]["values"]["cpus"] == [only]
    if len(told["cpuset"]["values"]["online"]) > 1:
        assert told["cpuset"]["level"] == "note"
