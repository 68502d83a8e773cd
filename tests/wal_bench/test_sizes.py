# SPDX-License-Identifier: MIT
"""Record sizes: the shipped files read a second time with the csv module, and files of users."""

from __future__ import annotations

import csv
import os
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wal_bench.errors import UsageError
from wal_bench.sizes import LARGEST, SMALLEST, names, parse_sizes


def shipped(name: str) -> dict[int, int]:
    text = (resources.files("wal_bench") / "data" / f"wal-sizes-{name}.csv").read_text()
    return {int(r["total_length"]): int(r["count"]) for r in csv.DictReader(text.splitlines())}


def aligned(length: int) -> int:
    return -(-length // 8) * 8


def mean(histogram: dict[int, int]) -> float:
    total = sum(histogram.values())
    return sum(aligned(length) * count for length, count in histogram.items()) / total


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return f"file:{path}"


def test_the_shipped_distributions() -> None:
    assert names() == ("tpcb", "tpcb-checkpoint", "tpcc", "tpcc-checkpoint")


@pytest.mark.parametrize("name", names())
def test_a_shipped_distribution_is_what_its_file_says(name: str) -> None:
    expected, found = shipped(name), parse_sizes(name)
    assert dict(zip(found.lengths.tolist(), found.counts.tolist(), strict=True)) == expected
    assert found.aligned_mean == pytest.approx(mean(expected))


@pytest.mark.parametrize("name", names())
def test_a_table_has_the_lengths_and_the_mean_of_its_distribution(name: str) -> None:
    expected = shipped(name)
    table = parse_sizes(name).table(4096, np.random.default_rng(1))
    assert table.shape == (4096,)
    assert set(table.tolist()) <= {aligned(length) for length in expected}
    assert table.min() >= 32
    assert float(table.mean()) == pytest.approx(mean(expected), rel=0.05)


def test_each_length_has_its_share_of_a_table() -> None:
    """Stratified: a share can be off by one draw, where plain sampling would be off by dozens."""
    histogram = {64: 700, 128: 200, 256: 100}
    sizes = parse_sizes("tpcc")
    sizes = type(sizes)("x", np.array([64, 128, 256], np.uint32), np.array([700, 200, 100], "u8"))
    drawn = sizes.table(1000, np.random.default_rng(3)).tolist()
    assert all(abs(drawn.count(length) - count) <= 1 for length, count in histogram.items())
    assert drawn != sorted(drawn)


def test_the_seed_fixes_the_table() -> None:
    first, again, other = (
        parse_sizes("tpcc").table(512, np.random.default_rng(seed)).tolist() for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize(
    ("text", "size"),
    [("fixed:25", 32), ("fixed:64", 64), ("fixed:65", 72), (f"fixed:{LARGEST}", LARGEST)],
)
def test_a_fixed_size_is_rounded_up_to_eight(text: str, size: int) -> None:
    assert parse_sizes(text).table(3, np.random.default_rng(1)).tolist() == [size] * 3


@pytest.mark.parametrize(
    "text",
    [
        "fixed:",
        "fixed:24",
        "fixed:0",
        "fixed:-8",
        "fixed:x",
        "fixed:6.5",
        "fixed:٣٢",
        f"fixed:{LARGEST + 1}",
    ],
)
def test_a_senseless_fixed_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_sizes(text)
    assert str(refused.value).startswith(f"sizes {text!r}: ")


@given(
    st.dictionaries(st.integers(SMALLEST, LARGEST), st.integers(1, 10**6), min_size=1, max_size=40)
)
def test_what_is_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, histogram: dict[int, int]
) -> None:
    rows = "".join(f"{length},{count}\n" for length, count in histogram.items())
    path = tmp_path_factory.mktemp("sizes") / "h.csv"
    found = parse_sizes(written(path, "total_length,count\n" + rows))
    assert found.lengths.tolist() == sorted(histogram)
    assert found.counts.tolist() == [histogram[length] for length in sorted(histogram)]


@pytest.mark.parametrize(
    "content",
    [
        "total_length,count\n64,3\n128,1\n",
        "total_length,count\r\n64,3\r\n128,1\r\n",
        "\ufefftotal_length,count\n64,3\n128,1",
        " total_length , count \n\n 64 , 3 \n\n128,1\n",
        "total_length,count\n64,1\n128,1\n64,2\n",
        "total_length,count\n64,3\n100,0\n128,1\n",
    ],
    ids=["plain", "crlf", "bom", "spaces", "in-parts", "zero-count"],
)
def test_harmless_variations_of_a_file(tmp_path: Path, content: str) -> None:
    found = parse_sizes(written(tmp_path / "h.csv", content))
    assert (found.lengths.tolist(), found.counts.tolist()) == ([64, 128], [3, 1])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", ": empty"),
        (" \n\n", ": empty"),
        ("total_length,count\n", ": no record is counted"),
        ("total_length,count\n64,0\n", ": no record is counted"),
        ("64,3\n", ":1: '64,3': the first line must be"),
        ("total_length,count\n64\n", ":2: '64': two whole numbers"),
        ("total_length,count\n64,3,5\n", ":2: '64,3,5': two whole numbers"),
        ("total_length,count\n64,-3\n", ":2: '64,-3': two whole numbers"),
        ("total_length,count\n64,1e3\n", ":2: '64,1e3': two whole numbers"),
        ("total_length,count\n64,3\n\n24,1\n", ":4: length 24 is out of range"),
        (f"total_length,count\n{LARGEST + 1},3\n", f":2: length {LARGEST + 1} is out of range"),
        (f"total_length,count\n64,{1 << 53}\n", "fewer than 2^53"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "h.csv"
    with pytest.raises(UsageError) as refused:
        parse_sizes(written(path, content))
    assert f"{path}{said}" in str(refused.value) or said in str(refused.value)
    assert str(path) in str(refused.value)


def test_what_is_no_readable_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x80")
    for name, said in (
        ("absent", "No such file"),
        ("", "directory"),
        ("binary", "not a text file"),
    ):
        with pytest.raises(UsageError, match=said):
            parse_sizes(f"file:{tmp_path / name}")


def test_a_pipe_is_read_and_an_endless_file_is_not(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(pipe.write_text, "total_length,count\n64,3\n")
        assert parse_sizes(f"file:{pipe}").lengths.tolist() == [64]
    with pytest.raises(UsageError, match="/dev/zero: longer than 64 MiB"):
        parse_sizes("file:/dev/zero")


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'tpcx': .*did you mean tpc[bc]\?"):
        parse_sizes("tpcx")
    with pytest.raises(UsageError, match="one of tpcb, "):
        parse_sizes("zzzzzz")
