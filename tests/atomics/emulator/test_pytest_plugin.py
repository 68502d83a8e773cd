# SPDX-License-Identifier: MIT
"""The fixture, in a repository that holds nothing but a sequence and three lines of test."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parents[2] / "sample_repository"


def run(folder: Path) -> tuple[int, str]:
    """pytest there; without other plugins that this environment happens to have."""
    result = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        cwd=folder, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    return result.returncode, result.stdout


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    shutil.copytree(SAMPLE, tmp_path / "sample")
    return tmp_path / "sample"


def test_the_sample_is_three_lines_and_passes(sample: Path) -> None:
    assert sorted(path.name for path in sample.iterdir() if path.is_file()) == [
        "cas.S",
        "test_cas.py",
    ]
    assert len((sample / "test_cas.py").read_text().splitlines()) <= 3
    code, out = run(sample)
    assert (code, "1 passed" in out) == (0, True), out


@pytest.mark.parametrize(
    ("was", "is_", "said"),
    [
        ("cbnz    w8, 1b", "nop", "compare_exchange returned ok = true"),
        ("csel    x10, x4, x7, eq", "csel    x10, x7, x4, eq", "step  CPU  line instruction"),
        ("stlxp   w8", "stxp    w8", "release-missing at cas+20"),
        ("ldaxp   x6, x7", "ldxp    x6, x7", "acquire-missing at cas"),
        ("cset    w0, eq", "cset    w0, ne", "step  CPU  line instruction"),
    ],
)
def test_one_changed_instruction_fails_with_a_readable_report(
    sample: Path, was: str, is_: str, said: str
) -> None:
    text = (sample / "cas.S").read_text()
    assert was in text
    (sample / "cas.S").write_text(text.replace(was, is_))
    code, out = run(sample)
    assert code == 1
    assert said in out
    assert "Traceback" not in out
    assert "verdict     wrong" in out


def test_a_mistake_in_the_call_is_one_line(sample: Path) -> None:
    (sample / "test_cas.py").write_text(
        "def test_cas(check_arm64):\n    check_arm64('cas.S', 'compare_exchange', order='strong')\n"
    )
    code, out = run(sample)
    assert code == 1
    assert "check_arm64: order strong: one of relaxed, acquire," in out
