# SPDX-License-Identifier: MIT
"""What control groups allow, on made-up trees: versions 1 and 2, nested, in containers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wal_bench.fake_root import tree
from wal_bench import cgroup

V2_MOUNT = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
V2_BESIDE_IT = "30 23 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
V1_MOUNT = "31 23 0:29 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n"}, 1.5),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, None),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/cpu.max": "50000 100000\n",
                "sys/fs/cgroup/a/b/cpu.max": "200000 100000\n",
            },
            0.5,
        ),
        # A container: the path of the host is not there, the top of the mount is its own group.
        (
            {"proc/self/cgroup": "0::/docker/x\n", "sys/fs/cgroup/cpu.max": "300000 100000\n"},
            3.0,
        ),
        (
            {
                "proc/self/cgroup": "5:cpu,cpuacct:/job\n4:memory:/job\n",
                "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "250000\n",
                "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000\n",
            },
            2.5,
        ),
        (
            {
                "proc/self/cgroup": "5:cpu:/\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
        # Both versions at once, as systemd mounts them: whichever is tighter.
        (
            {
                "proc/self/cgroup": "1:cpu:/a\n0::/b\n",
                "proc/self/mountinfo": V1_MOUNT + V2_BESIDE_IT,
                "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "70000\n",
                "sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
                "sys/fs/cgroup/unified/b/cpu.max": "90000 100000\n",
            },
            0.7,
        ),
        # Mounted at a place of its own, whose name has a space.
        (
            {
                "proc/self/cgroup": "3:cpuacct,cpu:/a/b\n",
                "proc/self/mountinfo": V1_MOUNT.replace("/sys/fs/cgroup/cpu ", "/my\\040groups "),
                "my groups/a/cpu.cfs_quota_us": "120000\n",
                "my groups/a/cpu.cfs_period_us": "100000\n",
            },
            1.2,
        ),
        # A container that sees its own group mounted, and the path as the host has it.
        (
            {
                "proc/self/cgroup": "0::/docker/x/inner\n",
                "proc/self/mountinfo": V2_MOUNT.replace(" / ", " /docker/x ", 1),
                "sys/fs/cgroup/inner/cpu.max": "40000 100000\n",
                "sys/fs/cgroup/cpu.max": "300000 100000\n",
            },
            0.4,
        ),
        # A namespace whose top is not above this process: what lies beside it is not ours.
        (
            {
                "proc/self/cgroup": "0::/../other\n",
                "sys/fs/cgroup/cpu.max": "300000 100000\n",
                "sys/fs/other/cpu.max": "10000 100000\n",
            },
            3.0,
        ),
        ({"proc/self/cgroup": "0::\n", "sys/fs/cgroup/cpu.max": "1 2\n"}, None),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "nonsense\n"}, None),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "a b\n"}, None),
        ({"proc/self/cgroup": "strange\n", "sys/fs/cgroup/cpu.max": "1 2\n"}, None),
    ],
)
def test_the_cpu_quota_is_the_tightest(
    tmp_path: Path, files: dict[str, str], quota: float | None
) -> None:
    assert cgroup.cpu_quota(tree(tmp_path, files)) == quota


def test_without_any_group_nothing_is_known(tmp_path: Path) -> None:
    told = (cgroup.cpu_quota, cgroup.throttled, cgroup.cpuset)
    assert all(look(tmp_path) is None for look in (*told, cgroup.memory_left, cgroup.tasks_left))


def test_throttling_is_counted_at_the_worst_level(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/a\n",
        "sys/fs/cgroup/cpu.stat": "usage_usec 5\nnr_periods 80\nnr_throttled 41\n",
        "sys/fs/cgroup/a/cpu.stat": "nr_periods 9\nnr_throttled 3\n",
    }
    assert cgroup.throttled(tree(tmp_path, files)) == 41


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({"a/memory.max": "1000\n", "a/memory.current": "400\n"}, 600),
        ({"a/memory.max": "max\n", "a/memory.current": "400\n"}, None),
        (
            {
                "a/memory.max": "1000\n",
                "a/memory.current": "900\n",
                "a/memory.stat": "anon 200\ninactive_file 500\nactive_file 100\n",
                "memory.max": "5000\n",
                "memory.current": "4700\n",
            },
            300,
        ),
        ({"a/memory.max": "1000\n", "a/memory.current": "1400\n"}, 0),
        (
            {
                "memory/b/memory.limit_in_bytes": "2000\n",
                "memory/b/memory.usage_in_bytes": "1900\n",
                "memory/b/memory.stat": "inactive_file 10\ntotal_inactive_file 60\n",
                "memory/memory.limit_in_bytes": "9223372036854771712\n",
                "memory/memory.usage_in_bytes": "5000\n",
            },
            160,
        ),
    ],
)
def test_memory_left_is_the_least_of_all_levels(
    tmp_path: Path, files: dict[str, str], left: int | None
) -> None:
    groups = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    root = tree(tmp_path, {"proc/self/cgroup": "4:memory:/b\n0::/a\n", **groups})
    assert cgroup.memory_left(root) == left


def test_tasks_left_is_the_least_of_all_levels(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "8:pids:/a\n",
        "sys/fs/cgroup/pids/a/pids.max": "max\n",
        "sys/fs/cgroup/pids/a/pids.current": "7\n",
        "sys/fs/cgroup/pids/pids.max": "100\n",
        "sys/fs/cgroup/pids/pids.current": "70\n",
    }
    assert cgroup.tasks_left(tree(tmp_path, files)) == 30


@pytest.mark.parametrize(
    ("files", "cpus"),
    [
        ({"a/cpuset.cpus.effective": "0,4-5\n", "cpuset.cpus.effective": "0-7\n"}, (0, 4, 5)),
        ({"cpuset.cpus.effective": "0-1\n"}, (0, 1)),  # not handed down to the own group
        ({"cpuset/b/cpuset.effective_cpus": "2\n", "cpuset/cpuset.effective_cpus": "0-3\n"}, (2,)),
        ({"a/cpuset.cpus.effective": "\n"}, None),
    ],
)
def test_the_cpuset_is_that_of_the_nearest_group(
    tmp_path: Path, files: dict[str, str], cpus: tuple[int, ...] | None
) -> None:
    groups = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    root = tree(tmp_path, {"proc/self/cgroup": "3:cpuset:/b\n0::/a\n", **groups})
    assert cgroup.cpuset(root) == cpus
