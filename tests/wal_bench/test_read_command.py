# SPDX-License-Identifier: MIT
"""``wal-bench read`` as a user runs it."""

from __future__ import annotations

import lzma
import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parents[1] / "data" / "wal"
NAMES = ("00000001000000000000001C", "00000001000000000000001D", "00000001000000000000001E")


def read(*files: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "wal_bench", "read", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.fixture
def segments(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in NAMES]
    for path in paths:
        path.write_bytes(lzma.decompress((DATA / f"{path.name}.xz").read_bytes()))
    return paths


def test_a_whole_log(segments: list[Path]) -> None:
    result = read(*segments)
    assert (result.returncode, result.stderr) == (0, "")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert "5394 records from 0/1C00AE8 to 0/1EFE968" in result.stdout
    assert "end      0/1EFE9B8: a record of 8135 bytes is cut: the file ends\n" in result.stdout
    assert ["LogicalMessage", "1", "20055"] in lines
    assert ["XLOG", "1", "24"] in lines
    table = lines[lines.index(["rmgr", "records", "bytes"]) + 1 :]
    assert sum(int(count) for _, count, _ in table) == 5394


def test_damage_is_exit_code_1(segments: list[Path]) -> None:
    data = bytearray(segments[0].read_bytes())
    data[0x5000] ^= 1
    segments[0].write_bytes(data)
    result = read(*segments)
    assert result.returncode == 1
    assert "damaged: record 0/1C0" in result.stdout
    assert "CRC" in result.stdout


def test_a_log_without_a_whole_record(segments: list[Path]) -> None:
    rest_of_the_one_before = 0xAE8
    data = segments[0].read_bytes()[:rest_of_the_one_before]
    segments[0].write_bytes(data.ljust(8192, b"\0"))
    result = read(segments[0])
    assert result.returncode == 0
    assert "0 records\n" in result.stdout
    assert result.stdout.endswith("nothing is written after it\n")


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no").write_bytes(bytes(10000))
    for path, reason in ((tmp_path / "no", "magic number"), (tmp_path / "x", "No such file")):
        result = read(path)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr.startswith(f"wal-bench: error: {path}: {reason}")
    assert read().returncode == 2
