# SPDX-License-Identifier: MIT
"""Ratios of pairs, fairness, percentiles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from atomics.estimates import Estimate, estimate

__all__ = ["Estimate", "estimate", "jain", "jain_meaningful", "paired_ratio", "percentile"]

#: Time slice that a fairness figure must average over: Linux' EEVDF base slice, ns.
SLICE_NS = 3_000_000


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
