# SPDX-License-Identifier: MIT
"""CPUs from made-up sysfs trees, and where threads are put on them."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomics.topology import Cpu, cpu_list, read_topology, siblings
from wal_bench.errors import UsageError
from wal_bench.placement import place


def sysfs(root: Path, cpus: dict[int, tuple[int, int, int | None]]) -> Path:
    """CPU number -> (package, core id, node)."""
    for number, (package, core, node) in cpus.items():
        folder = root / f"cpu{number}"
        (folder / "topology").mkdir(parents=True)
        (folder / "topology" / "physical_package_id").write_text(f"{package}\n")
        (folder / "topology" / "core_id").write_text(f"{core}\n")
        if node is not None:
            (folder / f"node{node}").mkdir()
    return root


def with_siblings(root: Path, cores: list[list[int]], name: str = "core_cpus_list") -> Path:
    """Add the lists of siblings: each inner list is a core."""
    for core in cores:
        for number in core:
            folder = root / f"cpu{number}" / "topology"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(",".join(map(str, core)) + "\n")
    return root


def machine(packages: int, cores: int, threads: int) -> dict[int, tuple[int, int, int | None]]:
    """Numbered as Linux does on most x86: first threads of all cores, then second ones ..."""
    every = [(p, c) for p in range(packages) for c in range(cores)]
    return {t * len(every) + n: (p, c, p) for t in range(threads) for n, (p, c) in enumerate(every)}


@pytest.mark.parametrize("threads", [1, 2, 4, 8])
@pytest.mark.parametrize("packages", [1, 2])
def test_cores_packages_and_nodes_are_read(tmp_path: Path, packages: int, threads: int) -> None:
    cpus = machine(packages, 3, threads)
    found = read_topology(sysfs(tmp_path, cpus), mask=cpus)
    assert [cpu.id for cpu in found] == sorted(cpus)
    shared = {(a.id, b.id) for a in found for b in found if a.core == b.core}
    assert shared == {(a, b) for a in cpus for b in cpus if cpus[a][:2] == cpus[b][:2]}
    assert all(cpu.node == cpu.package == cpus[cpu.id][0] for cpu in found)


def test_only_the_mask_counts_and_it_may_have_gaps(tmp_path: Path) -> None:
    root = sysfs(tmp_path, machine(1, 8, 2))
    assert [cpu.id for cpu in read_topology(root, mask={14, 3, 9})] == [3, 9, 14]


def test_without_any_files_each_cpu_is_a_core(tmp_path: Path) -> None:
    found = read_topology(tmp_path, mask={0, 5})
    assert [(cpu.id, cpu.package, cpu.node) for cpu in found] == [(0, 0, None), (5, 0, None)]
    assert len({cpu.core for cpu in found}) == 2


def test_unknown_ids_make_separate_cores(tmp_path: Path) -> None:
    found = read_topology(sysfs(tmp_path, {0: (-1, -1, None), 1: (-1, -1, None)}), mask={0, 1})
    assert {cpu.package for cpu in found} == {0}
    assert len({cpu.core for cpu in found}) == 2


def test_a_file_with_nonsense_counts_as_missing(tmp_path: Path) -> None:
    root = sysfs(tmp_path, {0: (0, 0, None)})
    (root / "cpu0" / "topology" / "core_id").write_text("many\n")
    (root / "cpu0" / "topology" / "core_cpus_list").write_text("0-,1\n")
    assert read_topology(root, mask={0}) == (Cpu(0, 0, (0, 0), None),)
    assert siblings(0, root) is None


@pytest.mark.parametrize("name", ["core_cpus_list", "thread_siblings_list"])
def test_a_core_is_what_the_lists_of_siblings_say_not_its_id(tmp_path: Path, name: str) -> None:
    # Two clusters of four with the same core ids: an arm64 board described by a device tree.
    root = sysfs(tmp_path, {n: (0, n % 4, None) for n in range(8)})
    assert len({cpu.core for cpu in read_topology(root, mask=range(8))}) == 4
    with_siblings(root, [[n] for n in range(8)], name)
    assert len({cpu.core for cpu in read_topology(root, mask=range(8))}) == 8


@pytest.mark.parametrize("threads", [1, 2, 4, 8])
def test_offline_cpus_and_a_mask_leave_the_rest_of_a_core_together(
    tmp_path: Path, threads: int
) -> None:
    # Numbered as POWER does, a core in a row. The first CPU of each core is offline or not ours.
    cores = [list(range(core * 8, core * 8 + threads)) for core in range(3)]
    online = [core[1:] or core for core in cores]
    root = with_siblings(sysfs(tmp_path, {n: (0, -1, None) for c in cores for n in c}), online)
    (root / "cpu0" / "online").write_text("0\n")
    found = read_topology(root, mask=[n for core in online for n in core])
    by_core = Counter(cpu.core for cpu in found)
    assert sorted(by_core.values()) == [max(1, threads - 1)] * 3
    spread = place("scatter", 3, found)
    assert spread == tuple(core[0] for core in online)
    assert place("compact", len(found), found) == tuple(n for core in online for n in core)


@given(st.sets(st.integers(0, 999)))
def test_cpu_lists_read_as_the_kernel_writes_them(numbers: set[int]) -> None:
    starts = [n for n in sorted(numbers) if n - 1 not in numbers]
    ends = [n for n in sorted(numbers) if n + 1 not in numbers]
    text = ",".join(f"{a}-{b}" if a < b else f"{a}" for a, b in zip(starts, ends, strict=True))
    assert cpu_list(text) == tuple(sorted(numbers))


@pytest.mark.parametrize("text", ["(null)", "0-", "-1", "1;2", "0x3", "1,,2"])
def test_what_is_no_cpu_list_is_none(text: str) -> None:
    assert cpu_list(text) is None


def test_the_default_mask_is_that_of_this_process() -> None:
    assert {cpu.id for cpu in read_topology()} == os.sched_getaffinity(0)


def cpus(packages: int, cores: int, threads: int) -> list[Cpu]:
    rows = machine(packages, cores, threads).items()
    return [Cpu(number, p, (p, c), node) for number, (p, c, node) in rows]


@st.composite
def shapes(draw: st.DrawFn) -> list[Cpu]:
    """Any machine, its CPUs numbered in any way: some alternate packages, some count siblings,
    some leave numbers out."""
    found = cpus(
        draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.sampled_from([1, 2, 4, 8]))
    )
    many = len(found)
    numbers = draw(st.lists(st.integers(0, 4095), min_size=many, max_size=many, unique=True))
    return [replace(cpu, id=number) for cpu, number in zip(found, numbers, strict=True)]


SHAPES = shapes()


@given(SHAPES, st.integers(1, 200), st.sampled_from(["compact", "scatter"]))
def test_every_cpu_gets_its_equal_share(found: list[Cpu], threads: int, policy: str) -> None:
    placed = place(policy, threads, found)
    assert len(placed) == threads
    counts = Counter(placed)
    assert set(counts) <= {cpu.id for cpu in found}
    low, high = divmod(threads, len(found))
    assert all(counts[cpu.id] in (low, low + bool(high)) for cpu in found)


@given(SHAPES)
def test_compact_finishes_a_core_and_a_package_before_the_next(found: list[Cpu]) -> None:
    by_id = {cpu.id: cpu for cpu in found}
    order = [by_id[number] for number in place("compact", len(found), found)]
    for key in (lambda cpu: cpu.core, lambda cpu: cpu.package):
        seen = [key(cpu) for cpu in order]
        changes = sum(a != b for a, b in itertools.pairwise(seen))
        assert changes == len(set(seen)) - 1


@given(SHAPES)
def test_scatter_uses_each_core_once_before_any_twice_and_packages_in_turn(
    found: list[Cpu],
) -> None:
    by_id = {cpu.id: cpu for cpu in found}
    order = [by_id[number] for number in place("scatter", len(found), found)]
    cores = len({cpu.core for cpu in found})
    packages = len({cpu.package for cpu in found})
    for start in range(0, len(order), cores):
        assert len({cpu.core for cpu in order[start : start + cores]}) == cores
    for start in range(0, len(order), packages):
        assert len({cpu.package for cpu in order[start : start + packages]}) == packages


def test_scatter_survives_packages_of_different_size() -> None:
    found = [Cpu(0, 0, (0, 0), 0), Cpu(1, 0, (0, 1), 0), Cpu(2, 0, (0, 2), 0), Cpu(7, 1, (1, 0), 1)]
    assert place("scatter", 6, found) == (0, 7, 1, 2, 0, 7)


def test_none_pins_nothing() -> None:
    assert place("none", 3, cpus(1, 2, 1)) == (-1, -1, -1)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("1,3,5", (1, 3, 5, 1)),
        ("0-3", (0, 1, 2, 3)),
        ("5,0-1", (5, 0, 1, 5)),
        ("2", (2, 2, 2, 2)),
        (" 4 , 2 - 3 ".replace(" - ", "-"), (4, 2, 3, 4)),
        ("0,0,1", (0, 0, 1, 0)),
    ],
)
def test_a_list_is_taken_in_its_order_and_round_again(text: str, order: tuple[int, ...]) -> None:
    assert place(text, 4, cpus(1, 6, 1)) == order


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("6", r"CPU 6 is not among those allowed here: \[0, 1, 2, 3, 4, 5\]"),
        ("0-9", "CPU 6 is not among"),
        ("3-1", "3-1 runs backwards"),
        ("", "one of none, compact, scatter"),
        ("spread", "one of none, compact, scatter"),
        ("1,,2", "one of none"),
        ("-1", "one of none"),
        ("1-", "one of none"),
        ("0-99999999", "one of none"),
    ],
)
def test_a_bad_list_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        place(text, 4, cpus(1, 6, 1))
    assert str(refused.value).startswith(f"pin {text!r}: ")
