# SPDX-License-Identifier: MIT
"""Compiled C, with all the stack traffic that a compiler makes of it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from atomics.emulator import target
from atomics.emulator.check import RIGHT, WRONG, check
from atomics.emulator.specification import SPECIFICATIONS

COMPILERS = {
    "gcc": ["aarch64-linux-gnu-gcc"],
    "clang": ["clang", "--target=aarch64-linux-gnu"],
}
#: A user's own compare-and-swap, with helpers, an array on the stack and a call.
SOURCE = r"""
typedef unsigned long word;

static _Bool same(const word *a, const word *b)
{
    for (int i = 0; i < 2; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

_Bool mine(void *object, word e0, word e1, word d0, word d1, word *observed)
{
    word expected[2] = {e0, e1}, seen[2];
    unsigned failed;

    do {
        __asm__ volatile("ldxp %0, %1, [%2]"
                         : "=&r"(seen[0]), "=&r"(seen[1]) : "r"(object) : "memory");
        if (!same(seen, expected)) {
            __asm__ volatile("stxp %w0, %1, %2, [%3]"
                             : "=&r"(failed) : "r"(seen[0]), "r"(seen[1]), "r"(object) : "memory");
            if (STORE_BACK && failed)
                continue;
            observed[0] = seen[0];
            observed[1] = seen[1];
            return 0;
        }
        __asm__ volatile("stxp %w0, %1, %2, [%3]"
                         : "=&r"(failed) : "r"(d0), "r"(d1), "r"(object) : "memory");
    } while (failed);
    observed[0] = seen[0];
    observed[1] = seen[1];
    return 1;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3", "-Os"])
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(("store_back", "result"), [(1, RIGHT), (0, WRONG)])
def test_c_is_judged_at_every_level(
    compiler: str, level: str, store_back: int, result: str, tmp_path: Path
) -> None:
    command = COMPILERS[compiler]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    (tmp_path / "mine.c").write_text(SOURCE)
    subprocess.run(
        [*command, level, f"-DSTORE_BACK={store_back}", "-c", "mine.c", "-o", "mine.o"],
        cwd=tmp_path,
        check=True,
    )
    image, _ = target.find(f"{tmp_path / 'mine.o'}:mine")
    # At -O0 the pair is spilled between the exclusives: own stores keep the reservation here,
    # as the stack lies in another granule than the object.
    verdict = check(image, SPECIFICATIONS["compare_exchange"])
    assert verdict.result == result, verdict.explored[-1].reason
    if result == WRONG:
        assert "torn" in str(verdict.explored[-1].reason)
