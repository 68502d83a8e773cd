# SPDX-License-Identifier: MIT
"""Intervals by simulation, percentiles and fairness by definition."""

from __future__ import annotations

from itertools import product
from math import ceil, inf, nan
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wal_bench import stats
from wal_bench.dtypes import LATENCY_DTYPE

FINITE = st.floats(0.001, 1e9)


def exact_coverage(n: int, k: int) -> float:
    """P(the k-th smallest and k-th largest of n hold the median), by listing all 2^n outcomes."""
    outcomes = (sum(bits) for bits in product((0, 1), repeat=n))
    return sum(k <= below <= n - k for below in outcomes) / 2**n


@pytest.mark.parametrize("n", range(6, 17))
def test_the_interval_is_the_narrowest_that_keeps_95_percent(n: int) -> None:
    found = stats.estimate([float(value) for value in range(1, n + 1)])
    k = int(found.low)
    assert found.high == n + 1 - k
    assert exact_coverage(n, k) >= 0.95
    assert exact_coverage(n, k + 1) < 0.95


def test_below_six_values_the_interval_is_all_there_is() -> None:
    assert stats.estimate([3.0, 1.0, 2.0]) == stats.Estimate(2.0, 1.0, 3.0, 3)
    assert stats.estimate([4.0]) == stats.Estimate(4.0, 4.0, 4.0, 1)


def test_fifteen_values_leave_out_three_on_either_side() -> None:
    found = stats.estimate([0.0, 0.0, 0.0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1e9, 1e9, 1e9])
    assert (found.low, found.median, found.high, found.n) == (4, 8, 12, 15)


@pytest.mark.parametrize("n", [6, 7, 15, 30])
def test_the_interval_holds_the_true_median_of_a_skewed_distribution(n: int) -> None:
    rng = np.random.default_rng(n)
    runs = 4000
    held = 0
    for values in rng.lognormal(0.0, 1.5, (runs, n)):  # true median: 1
        found = stats.estimate(values.tolist())
        held += found.low <= 1.0 <= found.high
    assert held / runs > 0.94


@given(st.lists(FINITE, min_size=1, max_size=40))
def test_the_median_lies_in_its_interval_and_that_in_the_values(values: list[float]) -> None:
    found = stats.estimate(values)
    assert min(values) <= found.low <= found.median <= found.high <= max(values)
    assert found.median == median(values)
    assert found.n == len(values)


@pytest.mark.parametrize("values", [[], [1.0, nan], [inf], [-inf, 1.0]])
def test_what_is_not_finite_has_no_estimate(values: list[float]) -> None:
    with pytest.raises(ValueError, match="finite"):
        stats.estimate(values)


def test_a_paired_ratio_is_the_median_of_ratios() -> None:
    """Not the ratio of the medians, which is 10 / 4 here."""
    assert stats.paired_ratio([2.0, 10.0, 100.0], [1.0, 100.0, 4.0]).median == 2.0


def test_pairs_must_be_complete() -> None:
    with pytest.raises(ValueError, match="zip"):
        stats.paired_ratio([1.0, 2.0], [1.0])


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=64))
def test_jain_is_its_formula(counts: list[int]) -> None:
    found = stats.jain(np.array(counts, "u8"))
    squares = sum(c * c for c in counts)
    expected = sum(counts) ** 2 / (len(counts) * squares) if squares else 1.0
    assert found == pytest.approx(expected)
    assert 1 / len(counts) - 1e-9 <= found <= 1 + 1e-9


def test_one_thread_that_has_it_all_is_the_least_fair() -> None:
    assert stats.jain(np.array([7, 0, 0, 0], "u8")) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("threads", "cpus", "window_ms", "meaningful"),
    [
        (1, 1, 1, True),
        (2, 2, 1, True),
        (4, 2, 119, False),
        (4, 2, 120, True),
        (64, 2, 1000, False),
        (64, 2, 1920, True),
    ],
)
def test_fairness_needs_twenty_slices_each(
    threads: int, cpus: int, window_ms: int, meaningful: bool
) -> None:
    assert stats.jain_meaningful(threads, cpus, window_ms * 1_000_000) is meaningful


@given(
    st.lists(st.integers(0, 400), min_size=1, max_size=1000),
    st.sampled_from([0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0]),
)
def test_a_percentile_is_the_nearest_rank(values: list[int], q: float) -> None:
    """Buckets one wide: the upper end is the value plus one."""
    distinct = sorted(set(values))
    table = np.array([(v, v + 1, values.count(v)) for v in distinct], LATENCY_DTYPE)
    rank = max(1, ceil(q * len(values)))
    assert stats.percentile(table, q) == sorted(values)[rank - 1] + 1


@pytest.mark.parametrize("q", [0.0, -0.1, 1.1])
def test_a_percentile_outside_its_range_is_refused(q: float) -> None:
    with pytest.raises(ValueError, match="quantile"):
        stats.percentile(np.array([(1, 2, 3)], LATENCY_DTYPE), q)
    with pytest.raises(ValueError, match="quantile"):
        stats.percentile(np.empty(0, LATENCY_DTYPE), 0.5)
