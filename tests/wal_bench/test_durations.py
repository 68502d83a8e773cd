# SPDX-License-Identifier: MIT
"""Durations and thread counts as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wal_bench.durations import format_duration, parse_duration
from wal_bench.errors import UsageError
from wal_bench.threads import parse_threads


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("20", 20_000_000_000),
        ("20s", 20_000_000_000),
        (" 20 s ", 20_000_000_000),
        ("200ms", 200_000_000),
        ("500us", 500_000),
        ("7ns", 7),
        ("1.5s", 1_500_000_000),
        ("0.1", 100_000_000),
        ("2min", 120_000_000_000),
    ],
)
def test_a_duration_is_read_exactly(text: str, ns: int) -> None:
    assert parse_duration("window", text) == ns


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "0s",
        "-1s",
        "1h",
        "s",
        "1e3",
        "1,5s",
        "nan",
        "inf",
        "٣s",
        "0.1ns",
        "9" * 15,
        "25 hours",
    ],
)
def test_what_is_no_duration_is_refused_by_name_and_value(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_duration("window", text)
    assert str(refused.value).startswith(f"window {text!r}: a duration is ")


@given(st.integers(1, 24 * 3600 * 10**9))
def test_a_shown_duration_reads_back_within_three_digits(ns: int) -> None:
    back = parse_duration("x", format_duration(ns))
    assert back == pytest.approx(ns, rel=0.006)


@pytest.mark.parametrize(
    ("text", "cpus", "counts"),
    [
        ("1,2,8", 4, (1, 2, 8)),
        ("8, 2,2 ,1", 4, (1, 2, 8)),
        ("16", 4, (16,)),
        ("1..16", 4, (1, 2, 4, 8, 16)),
        ("1..12", 4, (1, 2, 4, 8, 12)),
        ("3..3", 4, (3,)),
        ("1..8xcpus", 2, (1, 2, 4, 8, 16)),
        ("1..8xcpus", 1, (1, 2, 4, 8)),
        ("1..8xcpus", 3, (1, 2, 4, 8, 16, 24)),
        ("1, cpus, 2xcpus", 6, (1, 6, 12)),
        ("1,4..16", 2, (1, 4, 8, 16)),
        ("16384", 2, (16384,)),
    ],
)
def test_thread_counts_are_lists_and_doublings(
    text: str, cpus: int, counts: tuple[int, ...]
) -> None:
    assert parse_threads(text, cpus) == counts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0", "0 is out of range"),
        ("-3", "-3 is out of range"),
        ("16385", "16385 is out of range"),
        ("9" * 25, "is out of range"),
        ("1..99999", "99999 is out of range"),
        ("", "'' is no thread count"),
        ("1,,2", "'' is no thread count"),
        ("two", "'two' is no thread count"),
        ("1.5", "'1.5' is no thread count"),
        ("1..", "'' is no thread count"),
        ("1..2..3", "'2..3' is no thread count"),
        ("٣", "is no thread count"),
        ("8..2", "8..2 runs backwards"),
    ],
)
def test_what_is_no_thread_count_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_threads(text, 4)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
