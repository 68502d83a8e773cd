# SPDX-License-Identifier: MIT
"""Medians with intervals that assume nothing about the distribution.

The interval of a median is between two order statistics: for n values, (k-th, (n+1-k)-th) covers
the true median with probability 1 - 2 P(Binomial(n, 1/2) < k). The widest k that keeps the
confidence is taken. Below 6 values not even (min, max) reaches 95 %: it covers 94 % for 5, 88 %
for 4, 75 % for 3. Never the best run, never the minimum: noise makes contended loops look faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, isfinite
from statistics import median

import numpy as np
import numpy.typing as npt

#: Time slice that a fairness figure must average over: Linux' EEVDF base slice, ns.
SLICE_NS = 3_000_000


@dataclass(frozen=True)
class Estimate:
    """A median, the ends of its interval, and how many values it rests on."""

    median: float
    low: float
    high: float
    n: int


def _rank(n: int, confidence: float) -> int:
    """Largest k (1-based) such that the k-th smallest and largest values keep the confidence."""
    k, tail = 1, 1 / 2**n  # tail = P(Binomial(n, 1/2) < k)
    while k < (n + 1) // 2 and 1 - 2 * (tail + comb(n, k) / 2**n) >= confidence:
        tail += comb(n, k) / 2**n
        k += 1
    return k


def estimate(values: Sequence[float], confidence: float = 0.95) -> Estimate:
    """Median of at least one finite value, with its interval. ValueError otherwise."""
    ordered = sorted(float(value) for value in values)
    if not ordered or not all(isfinite(value) for value in ordered):
        raise ValueError(f"an estimate needs finite values, at least one: {ordered[:3]}")
    k = _rank(len(ordered), confidence)
    return Estimate(median(ordered), ordered[k - 1], ordered[-k], len(ordered))


def paired_ratio(
    numerators: Sequence[float], denominators: Sequence[float], confidence: float = 0.95
) -> Estimate:
    """Estimate of the ratio of values measured in pairs, one after the other in one round."""
    pairs = zip(numerators, denominators, strict=True)
    return estimate([a / b for a, b in pairs], confidence)


def jain(ops: npt.NDArray[np.uint64]) -> float:
    """Jain's fairness index of per-thread counts: 1 = all alike, 1/n = one has all."""
    counts = ops.astype(float)
    squares = float(np.sum(counts * counts))
    return float(np.sum(counts)) ** 2 / (counts.size * squares) if squares else 1.0


def jain_meaningful(threads: int, cpus: int, window_ns: int, slice_ns: int = SLICE_NS) -> bool:
    """Whether a window is long enough that fairness is not an artefact of time slices.

    Measured: the index of a plain fetch-add with 64 threads on 2 CPUs is 0.15 over 50 ms and
    0.86 over 1 s.
    """
    return threads <= cpus or window_ns * cpus >= 20 * slice_ns * threads


def percentile(latency: npt.NDArray[np.void], q: float) -> float:
    """q-quantile (0 < q <= 1) of a LATENCY_DTYPE histogram in ns: nearest rank, upper end of
    the bucket that holds it. ValueError for an empty histogram."""
    counts = np.cumsum(latency["count"])
    if not counts.size or not 0 < q <= 1:
        raise ValueError(f"quantile {q} of {latency.size} buckets")
    rank = max(1, int(np.ceil(q * int(counts[-1]))))
    return float(latency["high_ns"][np.searchsorted(counts, rank)])
