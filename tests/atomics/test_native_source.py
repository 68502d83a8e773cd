# SPDX-License-Identifier: MIT
"""The committed cffi source is what its two inputs generate."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "atomics"


def test_the_generated_source_is_up_to_date(tmp_path: Path) -> None:
    generator = Path(sys.executable).with_name("cffi-gen-src")
    if not generator.exists():
        pytest.skip("cffi-gen-src (cffi 2.1 or newer) is not installed")
    made = tmp_path / "_native.c"
    subprocess.run(
        [
            str(generator),
            "read-sources",
            "atomics._native",
            str(PACKAGE / "_native.cdef.txt"),
            str(PACKAGE / "_native.csrc.c"),
            str(made),
        ],
        check=True,
        capture_output=True,
    )
    assert made.read_text() == (PACKAGE / "_native.c").read_text(), (
        "atomics/_native.c is stale: cmake/python_module.cmake says how to make it anew"
    )
