# SPDX-License-Identifier: MIT
"""JSON of runs as the commands write it, with random figures; all of them differ."""

from __future__ import annotations

import random
from typing import Any

METHODS = ("spin", "ttas", "cas128", "faa-bound")
QUANTILES = ("p50", "p90", "p99", "p999", "max")
SHARED = ("ops_per_s", "ns_per_op", "retries_per_op", "jain", "cpu_ns_per_op")
INSERTED = (
    "log_bytes_per_s",
    "lag_mean_bytes",
    "lag_max_bytes",
    "gate_waits_per_op",
    "page_waits_per_op",
    "flushes_per_s",
    "commits_per_flush",
    "commit_wait_mean_ns",
)
_SIZES = {"ops_per_s": 1e8, "jain": 0.3, "log_bytes_per_s": 1e9, "lag_max_bytes": 1e6}


def figure(rng: random.Random, size: float = 10.0) -> dict[str, float]:
    low, median, high = sorted(float(f"{size * rng.uniform(0.2, 3):.6g}") for _ in range(3))
    return {"median": median, "low": low, "high": high, "n": 9}


def _cell(rng: random.Random, method: str, threads: int, keys: tuple[str, ...]) -> dict[str, Any]:
    latency = [figure(rng, 20.0 * 3**step) for step in range(5)]
    return {
        "method": method,
        "kind": "bound" if method == "faa-bound" else "lock",
        "threads": threads,
        **{key: figure(rng, _SIZES.get(key, 10.0)) for key in keys},
        "latency_ns": dict(zip(QUANTILES, latency, strict=True)),
        "windows": 9,
        "checked": True,
        "history_operations": 0,
        "findings": [],
        "disturbed": False,
        "disturbed_windows": [],
        "no_progress": [],
    }


def _document(schema: str, results: list[dict[str, Any]], baseline: str) -> dict[str, Any]:
    heats = {(one["threads"], one.get("flush")): one for one in reversed(results)}  # the first
    return {
        "schema": schema,
        "machine": {"cpu": "A processor", "cpus": [0, 1], "load_before": 0.73, "governors": None},
        "plan": {"rounds": 9, "seed": 86, "baseline": baseline, "sizes": {"name": "tpcc"}},
        "results": results,
        "verdict": {
            "ended": "complete",
            "rounds_done": 9,
            "elapsed_s": 19.5,
            "checked": True,
            "disturbed": {"windows": 0, "of": 9 * len(results)},
            "text": ["1 thread: nobody wins by 4.25", "oracle: 72 of 72 windows passed"],
            "by_threads": [
                {
                    "threads": one["threads"],
                    **({"flush": one["flush"]} if "flush" in one else {}),
                    "winners": [one.get("name", one["method"])],
                }
                for one in reversed(heats.values())
            ],
        },
    }


def run(
    methods: tuple[str, ...] = METHODS, threads: tuple[int, ...] = (1, 2, 4), seed: int = 3
) -> dict[str, Any]:
    """dwcas.run/1."""
    rng = random.Random(seed)
    keys = (*SHARED, "ratio_to_spin", "ratio_to_bound")
    results = [_cell(rng, method, number, keys) for number in threads for method in methods]
    return _document("dwcas.run/1", results, "spin")


def insert(
    gates: tuple[int | None, ...] = (1, 8, None),
    flushes: tuple[str, ...] = ("none", "tmpfs"),
    threads: tuple[int, ...] = (1, 2),
) -> dict[str, Any]:
    """dwcas.insert/1."""
    rng = random.Random(4)
    keys = (*SHARED, *INSERTED, "ratio_to_stock")
    results = [
        {
            "name": f"{method}, {number or 'no'} gates",
            "gates": number,
            "publish": "inserting-at",
            "flush": flush,
            **_cell(rng, method, count, keys),
        }
        for count in threads
        for flush in flushes
        for number in gates
        for method in ("spin", "mutex")
    ]
    return _document("dwcas.insert/1", results, "spin, 8 gates")
