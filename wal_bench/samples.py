# SPDX-License-Identifier: MIT
"""From one window to its figures.

ops_per_s       reservations of all threads per second of the window
ns_per_op       window / reservations: time between two of them, over all threads
retries_per_op  failed CAS per reservation
cpu_ns_per_op   CPU time of all threads per reservation, waiting included
insertions      more figures: insert_figures.py
jain            fairness index of the threads' counts, None where time slices would decide it
latency_ns      p50, p90, p99, p999, max of single calls, one in about 1024 timed
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wal_bench import insert_figures, stats
from wal_bench.engine import Method, Window
from wal_bench.findings import Finding
from wal_bench.oracle import check_window

PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}

#: A thread with a CPU of its own that waited for it longer than this share was disturbed.
MOST_DELAY = 0.05
#: Where the kernel does not tell delays: least CPU time per wall time of a busy thread.
_LEAST_CPU = 0.95
#: Raising the start or stop flag took longer than this share: the window's ends are blurred.
_MOST_GAP = 0.02


@dataclass(frozen=True)
class Sample:
    """What one window says. ``figures`` is empty where nothing was reserved."""

    round: int
    status: str  #: as in Window
    figures: dict[str, float]
    latency_ns: dict[str, float]
    findings: tuple[Finding, ...]
    disturbed: str | None  #: what happened, in words
    counts: tuple[int, ...]  #: reservations per thread over the whole run

    @property
    def checked(self) -> bool:
        """Whether the oracle saw it and found nothing."""
        return self.status != "abandoned" and not self.findings

    @property
    def measured(self) -> bool:
        """Whether its figures may enter a median."""
        return self.status == "ok" and bool(self.figures)


def sample(window: Window, method: Method, round_: int, cpus: int) -> Sample:
    """Check a window and reduce it. ``cpus``: how many the affinity mask has."""
    # Threads of an abandoned window were left running: only their counts are known.
    whole = window.status != "abandoned"
    return Sample(
        round=round_,
        status=window.status,
        figures=_figures(window, cpus) if whole else {},
        latency_ns=_latency(window),
        findings=tuple(check_window(window, method.links)) if whole else (),
        disturbed=disturbance(window, method, cpus),
        counts=tuple(window.threads["total_ops"].tolist()),
    )


def _figures(window: Window, cpus: int) -> dict[str, float]:
    if not window.ops or window.window_ns <= 0:
        return {}
    threads = window.threads
    figures = {
        "ops_per_s": window.ops / window.window_ns * 1e9,
        "ns_per_op": window.window_ns / window.ops,
        "retries_per_op": int(threads["retries"].sum()) / window.ops,
        "cpu_ns_per_op": int(threads["cpu_ns"].sum()) / window.ops,
    }
    if stats.jain_meaningful(threads.size, cpus, window.window_ns):
        figures["jain"] = stats.jain(threads["ops"])
    return figures | insert_figures.figures(window)


def _latency(window: Window) -> dict[str, float]:
    if not window.latency.size:
        return {}
    found = {name: stats.percentile(window.latency, q) for name, q in PERCENTILES.items()}
    # A percentile is the upper end of a bucket; it cannot lie above the largest value seen.
    found = {name: min(value, window.latency_max_ns) for name, value in found.items()}
    return found | {"max": window.latency_max_ns}


def _own_cpu_each(window: Window, cpus: int) -> bool:
    pinned = window.plan.cpus
    return len(pinned) <= cpus and (pinned[0] < 0 or len(set(pinned)) == len(pinned))


def disturbance(window: Window, method: Method, cpus: int) -> str | None:
    """What kept a window from being the method's own doing, or None."""
    if window.status == "empty":
        return "no thread came to run inside the window"
    if window.stamp_gap_ns > _MOST_GAP * window.window_ns:
        return "the window's ends are blurred: the controlling thread was held up"
    if not _own_cpu_each(window, cpus):
        return None  # threads that share a CPU wait for it: that is the experiment
    threads = window.threads
    if not (np.all(threads["start_ns"]) and np.all(threads["stop_ns"])):
        return "a thread never ran inside the window"
    own = threads["stop_ns"].astype(float) - threads["start_ns"].astype(float)
    delay = threads["run_delay_ns"].astype(float)
    if np.all(delay >= 0):
        worst = float(np.max(delay / own))
        if worst > MOST_DELAY:
            return f"a thread waited {worst:.0%} of the window for its CPU"
    elif not method.sleeps and window.plan.insert is None:  # gates and flushes sleep
        least = float(np.min(threads["cpu_ns"] / own))
        if least < _LEAST_CPU:
            return f"a thread had its CPU for only {least:.0%} of the window"
    return None
