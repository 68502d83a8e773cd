# SPDX-License-Identifier: MIT
"""The command ``atomics cost``: what it measures, on what, and what it says of the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from statistics import median
from typing import Any

import jsonschema
import pytest

from atomics import cost, cost_svg, cost_table
from atomics.topology import Cpu

CPUS = sorted(os.sched_getaffinity(0))
SCHEMA = json.loads((Path(__file__).parent.parent / "schemas" / "dwcas.cost.1.json").read_text())


def run(*arguments: str, cpus: set[int] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "atomics", "cost", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=None if cpus is None else lambda: os.sched_setaffinity(0, cpus),
    )


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("cost") / "cost.json"
    result = run("--rounds", "3", "--json", str(path))
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(path.read_text())
    jsonschema.validate(found, SCHEMA, cls=jsonschema.Draft202012Validator)
    return found


def local(document: dict[str, Any], operation: str, level: str) -> float:
    rows = {(r["operation"], r["level"]): r["ns"]["median"] for r in document["local"]}
    return float(rows[operation, level])


def test_every_operation_has_a_time_at_every_level(measured: dict[str, Any]) -> None:
    assert all(row["ns"]["n"] == 3 and row["ns"]["median"] > 0 for row in measured["local"])
    assert {row["operation"] for row in measured["local"]} == {o.name for o in cost.operations()}


def test_what_is_large_by_nature_is_large(measured: dict[str, Any]) -> None:
    """Memory is far behind the first-level cache; an atomic costs more than a load."""
    assert local(measured, "load_8", "memory") > 5 * local(measured, "load_8", "L1")
    assert local(measured, "cas_16_hit", "L1") > 1.2 * local(measured, "load_8", "L1")


@pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs: one is allowed")
def test_a_line_of_another_cpu_costs_more_than_an_own_one(measured: dict[str, Any]) -> None:
    remote = [r for r in measured["remote"] if r["operation"] == "load_8"]
    assert {r["state"] for r in remote} == set(cost.STATES)
    modified = [r["ns"]["median"] for r in remote if r["state"] == "modified"]
    assert median(modified) > 2 * local(measured, "load_8", "L1")
    assert all(h["ns"]["median"] > local(measured, "load_8", "L1") for h in measured["handoff"])


def test_on_one_cpu_it_says_what_cannot_be_measured() -> None:
    result = run("--rounds", "1", "--json", "-", cpus={CPUS[-1]})
    assert result.returncode == 0
    document = json.loads(result.stdout)
    jsonschema.validate(document, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert document["remote"] == document["handoff"] == []
    assert document["machine"]["cpus"] == [CPUS[-1]]
    said = f"remote and handoff: need two CPUs, and this process may use one (CPU {CPUS[-1]})"
    assert document["missing"] == [said]
    assert f"not measured: {said}" in result.stderr


def test_a_heat_map_that_cannot_be_is_refused_before_anything_runs() -> None:
    result = run("--svg", "map.svg", cpus={CPUS[0]})
    assert result.returncode == 2
    assert result.stderr.startswith("atomics: error: svg map.svg: remote and handoff: need two")


@pytest.mark.parametrize("option", ["--json", "--svg"])
@pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs: one is allowed")
def test_an_unwritable_path_is_found_before_anything_runs(option: str) -> None:
    result = run(option, "/no/such/folder/file")
    assert result.returncode == 2
    said = f"atomics: error: {option[2:]} /no/such/folder/file: cannot be written"
    assert result.stderr.startswith(said)
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error_and_the_table_is_still_shown() -> None:
    result = run("--rounds", "1", "--json", "/dev/full")
    assert result.returncode == 3
    assert "load_8" in result.stdout
    assert result.stderr.startswith("atomics: error: writing failed (No space left on device)")


def cache(root: Path, index: int, level: int, kind: str, size: str) -> None:
    folder = root / "cpu5" / "cache" / f"index{index}"
    folder.mkdir(parents=True)
    for name, text in (("level", str(level)), ("type", kind), ("size", size)):
        (folder / name).write_text(text + "\n")


def test_working_sets_fit_their_cache_and_not_the_one_below(tmp_path: Path) -> None:
    cache(tmp_path, 0, 1, "Data", "48K")
    cache(tmp_path, 1, 1, "Instruction", "32K")
    cache(tmp_path, 2, 2, "Unified", "2048K")
    cache(tmp_path, 3, 3, "Unified", "32M")
    found = {level.name: level.bytes for level in cost.levels(5, tmp_path)}
    assert list(found) == ["L1", "L2", "L3", "memory"]
    assert found["L1"] <= 48 << 10 < found["L2"] <= 2 << 20 < found["L3"] <= 32 << 20


def test_without_sysfs_sizes_are_assumed(tmp_path: Path) -> None:
    assert [level.name for level in cost.levels(0, tmp_path)] == ["L1", "L2", "L3", "memory"]


def test_a_cache_no_larger_than_the_one_below_is_left_out(tmp_path: Path) -> None:
    cache(tmp_path, 0, 1, "Data", "64K")
    cache(tmp_path, 1, 2, "Unified", "64K")
    assert [level.name for level in cost.levels(5, tmp_path)] == ["L1", "L3", "memory"]


def test_one_pair_of_cpus_for_each_distance() -> None:
    cpus = [
        Cpu(0, 0, (0, 0), 0),
        Cpu(1, 0, (0, 1), 0),
        Cpu(2, 0, (0, 2), 0),
        Cpu(8, 0, (0, 0), 0),
        Cpu(9, 1, (1, 0), 1),
    ]
    assert cost.distances(cpus) == {
        "same package": (0, 1),
        "same core": (0, 8),
        "other package": (0, 9),
    }
    assert cost.distances(cpus[:1]) == {}


def made(cpus: int) -> cost.Costs:
    costs = cost.Costs(0, cost.operations(), (cost.Level("L1", 1024),), {"same core": (0, 1)})
    for a in range(cpus):
        for b in range(a + 1, cpus):
            costs.handoff[a, b, False] = [20.0 + a + b]
            costs.handoff[a, b, True] = [40.0 + a + b] if (a, b) != (0, 2) else []
    return costs


def test_the_heat_map_holds_every_pair_twice_and_is_well_formed() -> None:
    root = ET.fromstring(cost_svg.render(made(4)))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("21") == 2  # 0 and 1, by store
    assert texts.count("45") == 2  # 2 and 3, by CAS
    assert "42" not in texts  # 0 and 2 by CAS was not to be had
    with pytest.raises(ValueError, match="needs two CPUs"):
        cost_svg.render(made(1))


def test_the_table_shows_medians_and_fits_80_columns() -> None:
    costs = made(20)
    costs.local["load_8", "L1"] = [1.0, 2.26, 900.0]
    costs.remote["load_8", "same core", "shared"] = [123.4]
    text = cost_table.render(costs)
    assert max(map(len, text.splitlines())) < 80
    rows = [line for line in text.splitlines() if line.startswith(("load_", "store_"))]
    assert len({len(line) for line in rows if len(line) < 40}) == 1  # the columns are aligned
    assert ["load_8", "2.26"] in [line.split() for line in text.splitlines()]
    assert ["load_8", "-", "-", "123"] in [line.split() for line in text.splitlines()]
