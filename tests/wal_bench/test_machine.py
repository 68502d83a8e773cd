# SPDX-License-Identifier: MIT
"""The machine record on made-up /proc and /sys trees; what is absent is None."""

from __future__ import annotations

from pathlib import Path

import pytest

from atomics.topology import Cpu
from wal_bench import machine

CPUS = (Cpu(0, 0, (0, 0), None), Cpu(3, 0, (0, 1), None))


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("cpuinfo", "model"),
    [
        ("processor\t: 0\nmodel name\t: Great CPU 9\n\nmodel name\t: other\n", "Great CPU 9"),
        ("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "implementer 0x41 part 0xd0c"),
        ("processor\t: 0\n", None),
        ("", None),
    ],
)
def test_the_cpu_model(tmp_path: Path, cpuinfo: str, model: str | None) -> None:
    assert machine.cpu_model(tree(tmp_path, {"proc/cpuinfo": cpuinfo})) == model


def test_without_proc_and_sys_everything_is_unknown(tmp_path: Path) -> None:
    assert machine.cpu_model(tmp_path) is None
    assert machine.governors(CPUS, tmp_path) is None
    assert machine.hypervisor(tmp_path) is None
    assert machine.cpu_quota(tmp_path) is None


def test_governors_of_these_cpus_only(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
            "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "conservative\n",
            "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor": "powersave\n",
        },
    )
    assert machine.governors(CPUS, root) == ["performance", "powersave"]


def test_a_hypervisor_shows_by_name_or_by_flag(tmp_path: Path) -> None:
    flag = tree(tmp_path / "a", {"proc/cpuinfo": "flags\t: fpu hypervisor sse\n"})
    assert machine.hypervisor(flag) == "unknown"
    assert machine.hypervisor(tree(flag, {"sys/class/dmi/id/sys_vendor": "QEMU\n"})) == "QEMU"
    assert machine.hypervisor(tree(tmp_path / "b", {"sys/hypervisor/type": "xen\n"})) == "xen"


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
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "nonsense\n"}, None),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "a b\n"}, None),
        ({"proc/self/cgroup": "strange\n", "sys/fs/cgroup/cpu.max": "1 2\n"}, None),
    ],
)
def test_the_cpu_quota_is_the_tightest(
    tmp_path: Path, files: dict[str, str], quota: float | None
) -> None:
    assert machine.cpu_quota(tree(tmp_path, files)) == quota
