# SPDX-License-Identifier: MIT
"""Figures of a window of insertions beyond those of its reservations.

log_bytes_per_s      records inserted per second of the window, times their mean size
lag_mean_bytes       an insertion's own end minus the watermark just then, mean of one in 1024 ...
lag_max_bytes        ... and the largest of these
gate_waits_per_op    insertions that found their gate taken
page_waits_per_op    insertions that waited for a page of the ring
flushes_per_s        times that the log was written for commits, per second of the window
commits_per_flush    insertions that waited for their flush, per flush: the group commit
commit_wait_mean_ns  how long they waited

What C counts over the whole run is taken per insertion of the run, and its rate from the
insertions of the window. A figure without a meaning is left out: no flush, no commit.
"""

from __future__ import annotations

from wal_bench.engine import Window

NAMES = (
    "log_bytes_per_s",
    "lag_mean_bytes",
    "lag_max_bytes",
    "gate_waits_per_op",
    "page_waits_per_op",
    "flushes_per_s",
    "commits_per_flush",
    "commit_wait_mean_ns",
)


def figures(window: Window) -> dict[str, float]:
    """By the names above; empty for a window that only reserved."""
    done, plan = window.insert, window.plan.insert
    if done is None or plan is None:
        return {}
    total = int(window.threads["total_ops"].sum())
    per_s = window.ops / window.window_ns * 1e9
    found = {
        "log_bytes_per_s": int(window.threads["sum_size"].sum()) / total * per_s,
        "page_waits_per_op": done.page_waits / total,
    }
    if plan.gates:
        found["gate_waits_per_op"] = done.gate_waits / total
    if done.lag_samples:
        found["lag_mean_bytes"] = done.lag_sum / done.lag_samples
        found["lag_max_bytes"] = float(done.lag_max)
    if plan.commit_every:
        found["flushes_per_s"] = done.flushes / total * per_s
    if done.flushes:
        found["commits_per_flush"] = done.commits / done.flushes
    if done.commits:
        found["commit_wait_mean_ns"] = done.commit_wait_ns / done.commits
    return found
