# SPDX-License-Identifier: MIT
"""What the doctor says about made-up machines; each change of a healthy one moves one row."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import atomics
from atomics.topology import read_topology
from tests.wal_bench.fake_root import tree
from wal_bench.doctor import gaps, usage
from wal_bench.doctor.check import CHECKS, Seen, examine
from wal_bench.doctor.host import Host

CPUS = "sys/devices/system/cpu"
CLOCK = "sys/devices/system/clocksource/clocksource0/current_clocksource"


def cpu(number: int, siblings: str, package: int = 0, node: int = 0) -> dict[str, str]:
    folder = f"{CPUS}/cpu{number}"
    return {
        f"{folder}/topology/core_cpus_list": f"{siblings}\n",
        f"{folder}/topology/physical_package_id": f"{package}\n",
        f"{folder}/node{node}/cpulist": "\n",
        f"{folder}/cpufreq/scaling_governor": "performance\n",
        f"{folder}/cpufreq/scaling_driver": "acpi-cpufreq\n",
        f"{folder}/cpu_capacity": "1024\n",
    }


def ticks(*rows: tuple[int, int, int]) -> str:
    """/proc/stat: per CPU ticks busy, stolen, free."""
    lines = [
        f"cpu{n} {busy} 0 0 {free} 0 0 0 {stolen} {busy} 0"
        for n, (busy, stolen, free) in enumerate(rows)
    ]
    return "\n".join(["cpu 1 2 3 4 5 6 7 8 0 0", *lines, "intr 5 0 1", ""])


def process(pid: int, name: str, used: int, last_cpu: int, started: int = 7) -> dict[str, str]:
    fields = ["R", *["0"] * 10, str(used), "0", *["0"] * 6, str(started), *["0"] * 16]
    return {f"proc/{pid}/stat": f"{pid} ({name}) {' '.join(fields)} {last_cpu} 0 0\n"}


HEALTHY = {
    **cpu(0, "0"),
    **cpu(1, "1"),
    **cpu(2, "2"),
    **cpu(3, "3"),
    f"{CPUS}/online": "0-3\n",
    f"{CPUS}/present": "0-3\n",
    f"{CPUS}/isolated": "\n",
    f"{CPUS}/nohz_full": "(null)\n",
    f"{CPUS}/cpufreq/boost": "0\n",
    CLOCK: "tsc\n",
    "proc/stat": ticks(*[(500, 0, 500)] * 4),
    "proc/cpuinfo": "processor : 0\nflags : fpu\n",
    "proc/loadavg": "0.10 0.20 0.30 1/99 5\n",
    "proc/meminfo": "MemTotal: 9000000 kB\nMemAvailable:    8388608 kB\n",
    "proc/self/cgroup": "0::/a\n",
    "proc/sys/kernel/perf_event_paranoid": "2\n",
    "proc/sys/kernel/numa_balancing": "0\n",
    "sys/fs/cgroup/a/cpuset.cpus.effective": "0-3\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
}
QUIET = ticks(*[(500, 0, 600)] * 4)  #: a second later


def seen(
    root: Path,
    changes: Mapping[str, str | None],
    later: Mapping[str, str],
    mask: Sequence[int],
    watched: Sequence[gaps.Gaps] | str | None = None,
    busy: str | None = None,
    **planned: int | None,
) -> dict[str, Seen]:
    """All rows about the healthy machine with these files changed (None: removed), ``later`` while
    it is left alone and ``busy`` in /proc/stat while all CPUs are watched."""
    files = {name: text for name, text in (HEALTHY | changes).items() if text is not None}
    tree(root, files)

    def watch(cpus: Sequence[int], _: float) -> Sequence[gaps.Gaps] | str:
        tree(root, {"proc/stat": busy or ticks(*[(700, 0, 600)] * 8)})
        quiet = [gaps.Gaps(number, 10**9, 10**6, 10**5) for number in cpus]
        return quiet if watched is None else watched

    host = Host(
        read_topology(root / CPUS, mask),
        root,
        wait=lambda _: tree(root, {"proc/stat": QUIET, **later}) and None,
        clock_cost=lambda: (12.0, 1.0),
        watch=watch,
        **planned,
    )
    return {row.name: found for row, found in examine(host)}


def test_a_healthy_machine_has_nothing_but_ok(tmp_path: Path) -> None:
    found = seen(tmp_path, {}, {}, range(4))
    assert {name: row for name, row in found.items() if row.level != "ok"} == {}
    assert list(found) == [row.name for row in CHECKS]


TWO_PER_CORE = cpu(0, "0,2") | cpu(1, "1,3") | cpu(2, "0,2") | cpu(3, "1,3")
EIGHT_PER_CORE = {name: text for n in range(8) for name, text in cpu(n, "0-7").items()} | {
    f"{CPUS}/online": "0-7\n",
    f"{CPUS}/present": "0-7\n",
    "proc/stat": ticks(*[(5, 0, 5)] * 8),
}
GROUP = "sys/fs/cgroup"

CASES: dict[str, tuple[Mapping[str, str | None], Mapping[str, str], dict[str, Any], str, str, str]]
CASES = {
    "one CPU": ({}, {}, {"mask": [2]}, "cpus", "warn", "take turns on one CPU"),
    "part of the CPUs": ({}, {}, {"mask": [0, 3]}, "cpus", "note", "0,3 usable, 0-3 online"),
    "offline": (
        {f"{CPUS}/online": "0-1,3\n"},
        {},
        {"mask": [0, 1, 3]},
        "cpus",
        "note",
        "0-1,3 online, 0-3",
    ),
    "online unknown": ({f"{CPUS}/online": None}, {}, {}, "cpus", "note", "cannot be read"),
    "2 threads per core": (TWO_PER_CORE, {}, {}, "cores", "note", "2 cores with 4 CPUs"),
    "2 threads, which to take": (TWO_PER_CORE, {}, {}, "cores", "note", "taskset -c 0-1"),
    "8 threads per core": (
        EIGHT_PER_CORE,
        {"proc/stat": ticks(*[(5, 0, 99)] * 8)},
        {"mask": range(8)},
        "cores",
        "note",
        "1 core with 8 CPUs",
    ),
    "sibling not ours": (
        TWO_PER_CORE,
        {},
        {"mask": [0, 1, 2]},
        "cores",
        "warn",
        "CPU 3 shares them",
    ),
    "kinds by capacity": (
        {f"{CPUS}/cpu3/cpu_capacity": "446\n"},
        {},
        {},
        "kinds of core",
        "warn",
        "taskset -c 0-2",
    ),
    "kinds by counters": (
        {
            **{f"{CPUS}/cpu{n}/cpu_capacity": None for n in range(4)},
            "sys/devices/cpu_core/cpus": "0-1\n",
            "sys/devices/cpu_atom/cpus": "2-3\n",
        },
        {},
        {},
        "kinds of core",
        "warn",
        "CPU 2-3 cpu_atom",
    ),
    "kinds by part": (
        {
            **{f"{CPUS}/cpu{n}/cpu_capacity": None for n in range(4)},
            "proc/cpuinfo": "".join(
                f"processor\t: {n}\nCPU implementer\t: 0x41\nCPU part\t: 0xd0{n // 2}\n\n"
                for n in range(4)
            ),
        },
        {},
        {},
        "kinds of core",
        "warn",
        "CPU 0-1 part 0xd00; CPU 2-3 part 0xd01",
    ),
    "kinds unknown": (
        {f"{CPUS}/cpu1/cpu_capacity": None},
        {},
        {},
        "kinds of core",
        "note",
        "cannot be read",
    ),
    "two nodes": (
        {f"{CPUS}/cpu3/node0/cpulist": None, f"{CPUS}/cpu3/node1/cpulist": ""},
        {},
        {},
        "nodes",
        "note",
        "2 nodes",
    ),
    "pages move": (
        {
            f"{CPUS}/cpu3/node0/cpulist": None,
            f"{CPUS}/cpu3/node1/cpulist": "",
            "proc/sys/kernel/numa_balancing": "1\n",
        },
        {},
        {},
        "nodes",
        "note",
        "numa_balancing",
    ),
    "some isolated": ({f"{CPUS}/isolated": "2-3\n"}, {}, {}, "isolated", "note", "taskset -c 2-3"),
    "all isolated": (
        {f"{CPUS}/isolated": "0-3\n"},
        {},
        {},
        "isolated",
        "note",
        "not use --pin none",
    ),
    "quota": (
        {f"{GROUP}/a/cpu.max": "250000 100000\n"},
        {},
        {},
        "quota",
        "bad",
        "taskset -c 0-1 wal-bench",
    ),
    "quota of a parent": (
        {f"{GROUP}/cpu.max": "50000 100000\n", f"{GROUP}/cpu.stat": "nr_throttled 3\n"},
        {},
        {},
        "quota",
        "bad",
        "0.5 CPUs' worth of time for the 4 CPUs used; it struck 3 times",
    ),
    "groups unknown": ({"proc/self/cgroup": None}, {}, {}, "quota", "note", "cannot be read"),
    "cpuset": (
        {f"{GROUP}/a/cpuset.cpus.effective": "0,2\n"},
        {},
        {},
        "cpuset",
        "note",
        "0,2 of 0-3",
    ),
    "few tasks": (
        {f"{GROUP}/a/pids.max": "40\n", f"{GROUP}/a/pids.current": "20\n"},
        {},
        {},
        "tasks",
        "warn",
        "20 left",
    ),
    "little memory": (
        {"proc/meminfo": "MemAvailable: 102400 kB\n"},
        {},
        {},
        "memory",
        "warn",
        "0.0977 GiB",
    ),
    "a memory limit": (
        {f"{GROUP}/a/memory.max": "300000000\n", f"{GROUP}/a/memory.current": "200000000\n"},
        {},
        {},
        "memory",
        "warn",
        "below the limit of the control group",
    ),
    "huge pages": (
        {"sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n"},
        {},
        {},
        "huge pages",
        "note",
        "always",
    ),
    "load": ({"proc/loadavg": "2.50 0 0 1/9 5\n"}, {}, {}, "load", "warn", "2.50 with 4 CPUs"),
    "one busy CPU": (
        process(77, "make (all) x", 10, 1),
        {
            "proc/stat": ticks((500, 0, 600), (540, 0, 560), (500, 0, 600), (500, 0, 600)),
            **process(77, "make (all) x", 50, 1),
        },
        {},
        "other work",
        "warn",
        "10 % of all CPU time, 40 % of CPU 1\nby make (all) x (77) 40 %",
    ),
    "one a little busy": (
        {},
        {"proc/stat": ticks((500, 0, 600), (508, 0, 592), (500, 0, 600), (500, 0, 600))},
        {},
        "other work",
        "warn",
        "2 % of all CPU time, 8 % of CPU 1",
    ),
    "busy, where to go": (
        {},
        {"proc/stat": ticks((500, 0, 600), (540, 0, 560), (500, 0, 600), (500, 0, 600))},
        {},
        "other work",
        "warn",
        "CPU 1: `taskset -c 0,2-3`",
    ),
    "busy by nobody seen": (
        process(77, "elsewhere", 0, 9),
        {
            "proc/stat": ticks((500, 0, 600), (540, 0, 560), (500, 0, 600), (500, 0, 600)),
            **process(77, "elsewhere", 90, 9),
        },
        {},
        "other work",
        "warn",
        "by what does not show itself here",
    ),
    "all busy": ({}, {"proc/stat": ticks(*[(590, 0, 510)] * 4)}, {}, "other work", "bad", "90 %"),
    "stolen": (
        {},
        {},
        {"busy": ticks(*[(595, 5, 600)] * 4)},
        "stolen time",
        "warn",
        "5 % while all CPUs",
    ),
    "much stolen": (
        {},
        {},
        {"busy": ticks(*[(580, 20, 600)] * 4)},
        "stolen time",
        "bad",
        "20 % while",
    ),
    "stolen in the past": (
        {"proc/stat": ticks(*[(450, 50, 500)] * 4)},
        {"proc/stat": ticks(*[(450, 50, 600)] * 4)},
        {"busy": ticks(*[(550, 50, 600)] * 4)},
        "stolen time",
        "note",
        "0 % while all CPUs are busy, 8 % of the time wanted since boot",
    ),
    "waits": (
        {},
        {},
        {"watched": [gaps.Gaps(0, 10**9, 6 * 10**7, 10**6)]},
        "waits",
        "warn",
        "6 % lost on CPU 0",
    ),
    "long waits": (
        {},
        {},
        {"watched": [gaps.Gaps(0, 10**9, 3 * 10**7, 3 * 10**7)]},
        "waits",
        "warn",
        "longest 30 ms",
    ),
    "all but lost": (
        {},
        {},
        {"watched": [gaps.Gaps(3, 10**9, 4 * 10**8, 10**6)]},
        "waits",
        "bad",
        "40 % lost on CPU 3",
    ),
    "not watched": (
        {},
        {},
        {"watched": "a process (EPERM)"},
        "waits",
        "note",
        "cannot be read: a process",
    ),
    "hypervisor": (
        {"proc/cpuinfo": "flags : fpu hypervisor sse\n"},
        {},
        {},
        "hypervisor",
        "note",
        "without a name",
    ),
    "governor": (
        {f"{CPUS}/cpu2/cpufreq/scaling_governor": "powersave\n"},
        {},
        {},
        "frequency",
        "warn",
        "performance, powersave (acpi-cpufreq)",
    ),
    "boost": ({f"{CPUS}/cpufreq/boost": "1\n"}, {}, {}, "boost", "note", "echo 0 > /sys/devices"),
    "turbo": (
        {f"{CPUS}/cpufreq/boost": None, f"{CPUS}/intel_pstate/no_turbo": "0\n"},
        {},
        {},
        "boost",
        "note",
        "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo",
    ),
    "slow clock": ({CLOCK: "hpet\n"}, {}, {}, "clock", "warn", "hpet"),
    "clock unknown": ({CLOCK: None}, {}, {}, "clock", "note", "source cannot be read"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_change_is_seen_in_its_row(tmp_path: Path, name: str) -> None:
    changes, later, options, row, level, said = CASES[name]
    found = seen(tmp_path, changes, later, **{"mask": range(4), **options})[row]
    assert found.level == level
    assert said in f"{found.found}\n{found.means}\n{found.advice}"
    if level in ("warn", "bad"):
        assert found.advice


def test_every_check_but_those_of_this_process_has_a_case() -> None:
    assert {row for *_, row, _, _ in CASES.values()} | {"sixteen bytes", "perf events"} == {
        row.name for row in CHECKS
    }


def test_where_nothing_can_be_read_that_is_said_and_nothing_guessed(tmp_path: Path) -> None:
    host = Host(
        read_topology(tmp_path, (0, 5)), tmp_path, wait=lambda _: None, watch=lambda *_: "x"
    )
    found = {row.name: saw for row, saw in examine(host)}
    told = {name for name, saw in found.items() if "cannot be read" not in saw.found}
    # These look at no file below that root, or only at a limit that is then not there.
    assert told == {"tasks", "sixteen bytes"}
    assert {saw.level for saw in found.values()} <= {"ok", "note"}


@pytest.mark.parametrize(
    ("threads", "at_once", "level"),
    [(1, None, "ok"), (2, None, "bad"), (8, 1, "ok"), (8, 2, "bad")],
)
def test_a_quota_counts_for_the_cpus_that_a_run_uses(
    tmp_path: Path, threads: int, at_once: int | None, level: str
) -> None:
    changes = {f"{GROUP}/a/cpu.max": "150000 100000\n"}
    found = seen(tmp_path, changes, {}, range(4), threads=threads, at_once=at_once)
    assert found["quota"].level == level


def test_a_process_with_a_reused_number_counts_from_zero_and_its_name_is_harmless(
    tmp_path: Path,
) -> None:
    tree(tmp_path, {"proc/stat": ticks((0, 0, 0)), **process(5, "old", 90, 0, started=1)})
    after = {"proc/stat": ticks((50, 0, 50)), **process(5, "new\x1b[2J", 50, 0, started=2)}
    found = usage.over(tmp_path, lambda: tree(tmp_path, after) and None)
    assert found is not None
    assert [(p.name, p.share) for p in found.processes] == [("new?[2J", 0.5)]


@contextmanager
def hog(number: int) -> Iterator[int]:
    """A process that keeps that CPU busy."""
    code = f"import os; os.sched_setaffinity(0, {{{number}}}); print(flush=True)\nwhile True: pass"
    child = subprocess.Popen([sys.executable, "-I", "-S", "-c", code], stdout=subprocess.PIPE)
    with child:
        assert child.stdout is not None
        child.stdout.readline()
        try:
            yield child.pid
        finally:
            child.kill()


def test_a_rival_on_the_same_cpu_shows_as_lost_time_and_as_a_process() -> None:
    number = min(os.sched_getaffinity(0))
    with hog(number) as pid:
        watched: list[Sequence[gaps.Gaps] | str] = []
        used = usage.over(Path("/"), lambda: watched.append(gaps.watch([number], 0.5)))
    (row,) = watched[0]
    assert isinstance(row, gaps.Gaps)
    assert row.cpu == number
    assert 0 < row.longest_ns <= row.lost_ns <= row.watched_ns
    assert row.watched_ns >= 5e8
    assert row.lost > 0.2
    assert used is not None
    assert pid in [process.pid for process in used.processes if process.share > 0.05]
    assert os.getpid() not in [process.pid for process in used.processes]


def test_a_cpu_that_is_not_there_cannot_be_watched() -> None:
    assert gaps.watch([99999], 0.1) == "a process on each of 1 CPUs (it did not start)"


def test_without_the_instructions_there_is_nothing_to_measure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> str:
        raise atomics.NoBackendError("this CPU has no cmpxchg16b")

    monkeypatch.setattr(atomics, "backend", refuse)
    found = seen(tmp_path, {}, {}, range(4))["sixteen bytes"]
    assert (found.level, found.means) == ("bad", "this CPU has no cmpxchg16b")


def test_every_check_and_value_is_documented(tmp_path: Path) -> None:
    docs = Path(__file__).parent.parent.parent / "docs"
    section = (docs / "json.md").read_text().partition("`dwcas.doctor/1`")[2]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
    documented = {row[1].strip(" `"): row[2] for row in rows}
    page = (docs / "doctor.md").read_text()
    named = re.findall(r"^\| ([\w, ]+) \|", page.partition("## The checks")[2], re.M)
    assert {name for cell in named for name in cell.split(", ")} >= {row.name for row in CHECKS}
    for name, found in seen(tmp_path, {}, {}, range(4)).items():
        assert found.values, name
        assert [key for key in found.values if f"`{key}`" not in documented[name]] == []
