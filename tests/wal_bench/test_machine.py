# SPDX-License-Identifier: MIT
"""The machine record on made-up /proc and /sys trees; what is absent is None."""

from __future__ import annotations

from pathlib import Path

import pytest

from atomics.topology import Cpu
from tests.wal_bench.fake_root import tree
from wal_bench import machine

CPUS = (Cpu(0, 0, (0, 0), None), Cpu(3, 0, (0, 1), None))


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
    assert machine.load(tmp_path) is None


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


def test_the_load_is_the_first_of_the_kernels_averages(tmp_path: Path) -> None:
    assert machine.load(tree(tmp_path, {"proc/loadavg": "1.25 0.50 0.30 2/80 99\n"})) == 1.25
