# SPDX-License-Identifier: MIT
"""What docs/check.md shows: the examples end as it says, the drawing and the trace are theirs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "check.md").read_text()


def atomics(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "atomics", *arguments],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize(
    "line", [row for row in PAGE.splitlines() if row.startswith("atomics check docs/")]
)
def test_an_example_ends_as_the_page_says(line: str) -> None:
    command, _, comment = line.partition("#")
    result = atomics(*shlex.split(command)[1:])
    assert result.returncode == (1 if "wrong: exit 1" in comment else 0), result.stderr


def test_the_drawing_and_the_trace_are_what_comes_out(tmp_path: Path) -> None:
    drawing = tmp_path / "torn.svg"
    result = atomics(
        "check", "docs/check/torn.s", "--spec", "compare_exchange", "--svg", str(drawing)
    )
    assert drawing.read_text() == (ROOT / "docs" / "check" / "torn.svg").read_text()
    (trace,) = re.findall(r"^```text\n(  step  CPU.*?)```", (ROOT / "README.md").read_text(),
                          re.M | re.S)  # fmt: skip
    assert trace in result.stdout


def test_the_python_example_runs(tmp_path: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
    result = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60
    )
    assert result.stdout.splitlines()[0] == "right", result.stderr


def test_the_table_of_operations_is_complete() -> None:
    from atomics.emulator.specification import SPECIFICATIONS

    rows = PAGE.split("| operation | arguments")[1].split("\n\n")[0].splitlines()[2:]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(SPECIFICATIONS)
