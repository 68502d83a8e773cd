# SPDX-License-Identifier: MIT
"""Figures of a cell: their title, their unit, and how a drawing of them is read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """One figure."""

    key: str  #: in the JSON
    title: str
    unit: str  #: also the title of its column
    says: str = ""  #: how to read its drawing; empty: it has none
    scale: float = 1.0  #: the JSON's value times this is in ``unit``
    log: bool = False
    line: float | None = None  #: a value to compare with


RATIO_SPIN = Measure(
    "ratio_to_spin",
    "Throughput against spin",
    "times spin",
    "Ratios within rounds, so what slows all down cancels out: above the line it is faster than "
    "the spinlock, and surely so where the band is above it too.",
    log=True,
    line=1.0,
)
RATIO_STOCK = Measure(
    "ratio_to_stock",
    "Throughput against stock PostgreSQL",
    "times stock",
    "Ratios within rounds, so what slows all down cancels out: above the line it is faster than "
    "stock PostgreSQL, and surely so where the band is above it too.",
    log=True,
    line=1.0,
)
RATIO_BOUND = Measure("ratio_to_bound", "Throughput against the bound", "times bound")

_RATE = "Higher is better. All threads together; bands and thin lines are intervals of the medians."
_TIME = "Lower is better. Time between two records over all threads, waiting included."
_CPU = Measure(
    "cpu_ns_per_op",
    "CPU time per record",
    "CPU ns/op",
    "Lower is better. CPU time of all threads, waiting that spins included: what a record costs "
    "the machine.",
    log=True,
)
_RETRIES = Measure(
    "retries_per_op",
    "Retries",
    "fails/op",
    "Compare-and-swaps that lost, per record. Methods that never lose one lie at the bottom.",
)
_JAIN = Measure(
    "jain",
    "Fairness",
    "Jain",
    "Jain's index: at the line all threads got as many records. Nothing is drawn where time "
    "slices would decide it.",
    line=1.0,
)

RUN = (
    Measure("ops_per_s", "Throughput", "Mops/s", _RATE, 1e-6),
    RATIO_SPIN,
    Measure("ns_per_op", "Time per reservation", "ns/op", _TIME, log=True),
    _RETRIES,
    _JAIN,
    _CPU,
    RATIO_BOUND,
)
INSERT = (
    Measure("ops_per_s", "Throughput", "Mrec/s", _RATE, 1e-6),
    RATIO_STOCK,
    Measure("ns_per_op", "Time per insertion", "ns/op", _TIME, log=True),
    _RETRIES,
    _JAIN,
    _CPU,
    Measure(
        "lag_mean_bytes",
        "Watermark lag, mean",
        "lag KiB",
        "Lower is better. How far behind an insertion's own end the log was complete just then.",
        2**-10,
    ),
    Measure(
        "lag_max_bytes",
        "Watermark lag, largest",
        "max KiB",
        "Lower is better. The largest that was sampled: somebody had reserved and not yet copied.",
        2**-10,
    ),
    Measure(
        "gate_waits_per_op",
        "Waits at the gate",
        "gate waits",
        "Insertions that found their gate taken, per record. Without gates there is none.",
    ),
    Measure("page_waits_per_op", "Waits for a page", "page waits"),
    Measure("log_bytes_per_s", "Log written", "MB/s", scale=1e-6),
    Measure("flushes_per_s", "Flushes", "flushes/s"),
    Measure(
        "commits_per_flush",
        "Commits per flush",
        "commits/flush",
        "How many commits shared one flush: the group commit.",
    ),
    Measure(
        "commit_wait_mean_ns",
        "Wait for a commit",
        "wait us",
        "Lower is better. How long a commit waited for its flush, mean.",
        1e-3,
        log=True,
    ),
)
LATENCY = {
    "p50": "p50 ns",
    "p90": "p90 ns",
    "p99": "p99 ns",
    "p999": "p99.9 ns",
    "max": "max ns",
}
