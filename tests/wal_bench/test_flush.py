# SPDX-License-Identifier: MIT
"""Which directory serves which flush, on made-up mounts; sizes as people write them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wal_bench import flush
from wal_bench.byte_sizes import parse_bytes
from wal_bench.errors import EnvironmentUnfit, UsageError


def mounts(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "mountinfo"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_the_file_system_is_that_of_the_device_number(tmp_path: Path) -> None:
    device = tmp_path.stat().st_dev
    ours = f"{os.major(device)}:{os.minor(device)}"
    found = mounts(
        tmp_path,
        "21 20 0:999999 / /other rw shared:1 - btrfs none rw",
        f"22 20 {ours} / /with\\040space rw,noatime shared:2 master:3 - xfs /dev/sdb rw",
    )
    assert flush.file_system(tmp_path, found) == "xfs"


def test_what_cannot_be_told_is_none(tmp_path: Path) -> None:
    assert flush.file_system(tmp_path, tmp_path / "missing") is None
    assert flush.file_system(tmp_path, mounts(tmp_path, "nonsense", "")) is None


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("tmpfs", "tmpfs", None),
        ("tmpfs", "ext4", "on ext4; flush tmpfs needs a tmpfs"),
        ("tmpfs", None, "unknown kind"),
        ("fdatasync", "ext4", None),
        ("fdatasync", None, None),
        ("fdatasync", "tmpfs", "which is memory"),
        ("fdatasync", "ramfs", "which is memory"),
    ],
)
def test_each_flush_wants_its_kind_of_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str | None, said: str | None
) -> None:
    monkeypatch.setattr(flush, "file_system", lambda _: kind)
    row = flush.flush(name)
    if said is None:
        assert row.directory(str(tmp_path)) == tmp_path
    else:
        with pytest.raises(UsageError, match=said):
            row.directory(str(tmp_path))


def test_a_default_that_does_not_serve_is_the_machines_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(flush, "file_system", lambda _: "ext4")
    with pytest.raises(EnvironmentUnfit, match="/dev/shm: "):
        flush.flush("tmpfs").directory(None)


def test_no_flush_has_no_directory() -> None:
    assert flush.flush("none").directory(None) is None


def test_more_than_is_free_is_refused(tmp_path: Path) -> None:
    found = os.statvfs(tmp_path)
    flush.require_space(tmp_path, 1)
    with pytest.raises(EnvironmentUnfit, match="MiB are needed"):
        flush.require_space(tmp_path, (found.f_blocks + 1) * found.f_frsize)


@given(st.integers(0, 10**6), st.sampled_from([("", 0), ("k", 10), ("M", 20), ("g", 30)]))
def test_sizes_are_powers_of_1024(number: int, unit: tuple[str, int]) -> None:
    for ending in ("", "B", "iB", "ib") if unit[0] else ("", "b"):
        assert parse_bytes("x", f"{number}{unit[0]}{ending}") == number << unit[1]


@pytest.mark.parametrize("text", ["", "8 Ki B", "-1", "1.5M", "8T", "٣", "0x10", "1" * 13])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="ring"):
        parse_bytes("ring", text)
