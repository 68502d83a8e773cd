# SPDX-License-Identifier: MIT
"""The committed words of our own kernels: unchanged, up to date, and right."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from atomics.emulator import kernels, rebuild
from atomics.emulator.check import RIGHT, WRONG, Verdict, check
from atomics.emulator.kernels import Kernel, distinct
from atomics.emulator.model import Model, changed
from atomics.emulator.properties import Linearizable
from atomics.emulator.unicorn_cpu import UnicornDecoder
from atomics.orders import OPERATIONS

CSRC = Path(__file__).parents[3] / "csrc"
BACKENDS = rebuild.backends(CSRC)


def test_the_table_belongs_to_these_sources() -> None:
    """After a change in csrc: python -P -m atomics.emulator.rebuild csrc."""
    assert kernels.table()["source_sha256"] == rebuild.sources_hash(CSRC)


def test_a_changed_source_changes_the_hash(tmp_path: Path) -> None:
    shutil.copytree(CSRC, tmp_path / "csrc")
    assert rebuild.sources_hash(tmp_path / "csrc") == rebuild.sources_hash(CSRC)
    for name in ("pair/arm64/ldxp.h", "wal/methods/cas128.c", "include/dwcas/operations.def"):
        before = rebuild.sources_hash(tmp_path / "csrc")
        with (tmp_path / "csrc" / name).open("a") as file:
            file.write("\n")
        assert rebuild.sources_hash(tmp_path / "csrc") != before


def test_every_operation_order_and_backend_is_in_it() -> None:
    wanted = {
        f"dwcas_pair_{operation}_{order}_{backend}"
        for operation, orders in OPERATIONS.items()
        for order in orders
        for backend in BACKENDS
    }
    wanted |= {f"dwcas_reserve_{m}_{b}" for m in kernels.table()["methods"] for b in BACKENDS}
    assert set(kernels.kernels()) == wanted


def test_compiling_again_gives_the_same_words() -> None:
    if shutil.which(rebuild.COMPILER) is None:
        pytest.skip(f"{rebuild.COMPILER} is not installed")
    if rebuild.compiler_version() != kernels.table()["compiler"]:
        pytest.skip(f"{rebuild.COMPILER} is another version than {kernels.table()['compiler']}")
    made = rebuild.build(CSRC)
    for part in ("methods", "refused", "functions"):
        assert rebuild.differences(kernels.table()[part], made[part]) == []


def test_a_drift_names_the_symbol() -> None:
    assert rebuild.differences({"a": "1", "b": "2"}, {"a": "1", "b": "3", "c": "4"}) == ["b", "c"]


def judged(kernel: Kernel, cpus: int, calls: int = 1, *settings: str, runs: int = 0) -> Verdict:
    read = kernel.read
    return check(
        kernel.image,
        kernel.specification,
        cpus=cpus,
        calls=calls,
        model=changed(Model(), [*kernel.model, *settings]),
        object_bytes=kernel.object_bytes,
        initial=kernel.initial,
        properties=lambda: [Linearizable(read)],
        decoder=UnicornDecoder(every=False),
        order=kernel.order,
        runs=runs,
    )


def verdict(kernel: Kernel, cpus: int, calls: int = 1, *settings: str) -> str:
    return judged(kernel, cpus, calls, *settings).result


@pytest.mark.parametrize("cpus", [2, 3])
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_kernel_is_right(backend: str, cpus: int) -> None:
    """Torn reads (but for the LSE2 that a backend needs) and unlimited spurious failures."""
    mine = [one for one in distinct() if one.name.endswith(f"_{backend}")]
    mine = [one for one in mine if cpus == 2 or not one.checked]  # those: test_methods.py
    assert mine
    found = {one.name: judged(one, cpus, runs=30 if cpus == 2 else 0) for one in mine}
    assert {name: one.result for name, one in found.items()} == {one.name: RIGHT for one in mine}
    assert [finding for one in found.values() for finding in one.findings] == []


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("cpus", "calls"), [(3, 1), (2, 2)])
def test_the_reservation_by_cas128_is_right(backend: str, cpus: int, calls: int) -> None:
    assert verdict(kernels.kernels()[f"dwcas_reserve_cas128_{backend}"], cpus, calls) == RIGHT


@pytest.mark.parametrize("name", ["compare_exchange_acq_rel", "load_relaxed", "fetch_add_seq_cst"])
@pytest.mark.parametrize("settings", [["own_store=keep"], ["granule=2048"], ["cas_miss=read"],
                                      ["exceptions=on"], ["spurious=0"]])  # fmt: skip
def test_a_kernel_is_right_whatever_is_left_open(name: str, settings: list[str]) -> None:
    for backend in ("llsc", "lse"):
        assert verdict(kernels.kernels()[f"dwcas_pair_{name}_{backend}"], 2, 1, *settings) == RIGHT


def test_lse2_kernels_are_wrong_on_a_cpu_without_lse2() -> None:
    load = kernels.kernels()["dwcas_pair_load_relaxed_lse2"]
    assert verdict(load, 2) == RIGHT
    assert verdict(load, 2, 1, "pairs=split") == WRONG


def test_only_loads_that_do_not_write_work_on_a_read_only_page() -> None:
    found = {
        backend: verdict(kernels.kernels()[f"dwcas_pair_load_acquire_{backend}"], 2, 1,
                         "page=readonly")
        for backend in BACKENDS
    }  # fmt: skip
    assert found == {b: WRONG if b in ("llsc", "lse") else RIGHT for b in BACKENDS}
