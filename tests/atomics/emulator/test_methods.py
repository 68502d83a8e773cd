# SPDX-License-Identifier: MIT
"""Every reservation method goes through the checker, or is refused there for a reason; and those
that are wrong on purpose are found wrong."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from atomics.emulator import kernels, methods, rebuild
from atomics.emulator.check import RIGHT, WRONG, Verdict, check
from atomics.emulator.image import ImageError
from atomics.emulator.kernels import Kernel
from atomics.emulator.properties import Linearizable
from atomics.emulator.scenario import scenarios
from atomics.emulator.unicorn_cpu import UnicornDecoder

CSRC = Path(__file__).parents[3] / "csrc"
NAMES = methods.names(CSRC)
BROKEN = methods.names(CSRC, broken=True)
BACKENDS = ["llsc", "lse"]  #: with others the words are the same, or more is guaranteed
#: what goes wrong only where somebody serves two others
THREE = {"broken_group"}


def judged(kernel: Kernel, cpus: int, first: int | None = None) -> Verdict:
    read = kernel.read
    return check(
        kernel.image,
        kernel.specification,
        object_bytes=kernel.object_bytes,
        situations=scenarios(kernel.specification, cpus, 1)[:first],
        initial=kernel.initial,
        properties=lambda: [Linearizable(read)],
        decoder=UnicornDecoder(every=False),
        runs=0,
    )


def test_every_method_is_checked_or_refused() -> None:
    known, refused = kernels.table()["methods"], kernels.refused()
    assert sorted([*known, *refused]) == sorted(NAMES)
    assert refused == {"mutex": "calls pthread_mutex_lock"}


def test_a_refused_method_is_named_with_its_reason() -> None:
    for name in ("dwcas_reserve_mutex", "dwcas_reserve_mutex_lse"):
        with pytest.raises(ImageError, match=f"{name}: not checked, as it calls pthread_mutex_l"):
            kernels.find(name)


def test_only_what_needs_it_is_compiled_for_the_checker() -> None:
    measured = {name for name, row in kernels.table()["methods"].items() if not row["checked"]}
    assert measured == {"cas128", "cas128_backoff", "cas64_packed", "cas64_seeded", "faa_bound"}
    mcs = kernels.find("dwcas_reserve_mcs_lse")
    assert mcs.image.source.endswith("compiled for the checker")


@pytest.mark.parametrize("name", kernels.table()["methods"])
def test_every_method_is_right_for_three_cpus(name: str) -> None:
    """All contend. With two, every scenario, and LL/SC, test_kernels.py has them."""
    assert judged(kernels.find(f"dwcas_reserve_{name}_lse"), 3, 1).result == RIGHT


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The table of those that are wrong on purpose in place of ours."""
    if shutil.which(rebuild.COMPILER) is None:
        pytest.skip(f"{rebuild.COMPILER} is not installed")
    compiled = rebuild.compiler(CSRC, tmp_path_factory.mktemp("broken"))
    table = rebuild.of_methods(BROKEN, BACKENDS, compiled)
    assert table["refused"] == {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "table", lambda: table)
        yield


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_on_purpose_is_found_wrong(name: str, backend: str) -> None:
    kernel = kernels.row_of(f"dwcas_reserve_{name}_{backend}")
    assert kernel is not None
    verdict = judged(kernel, 3 if name in THREE else 2)
    assert verdict.result == WRONG
    assert "outside" not in str(verdict.explored[-1].reason)
