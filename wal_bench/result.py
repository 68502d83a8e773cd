# SPDX-License-Identifier: MIT
"""The JSON of a run, schema ``dwcas.run/1``: strict JSON, figures as {median, low, high, n}.

``results`` has one entry per cell (method x thread count). A figure that could not be measured
or has no meaning is null, never 0 or NaN. docs/json.md explains every key.
"""

from __future__ import annotations

import json

from wal_bench import verdict as verdicts
from wal_bench.plan import BASELINE, Plan
from wal_bench.run import SIZE_TABLE, Cell, Run
from wal_bench.samples import PERCENTILES
from wal_bench.stats import Estimate, estimate

SCHEMA = "dwcas.run/1"
FIGURES = ("ops_per_s", "ns_per_op", "retries_per_op", "jain", "cpu_ns_per_op")


def _figure(value: Estimate | None) -> dict[str, float | int] | None:
    if value is None:
        return None
    rounded = {k: float(f"{getattr(value, k):.6g}") for k in ("median", "low", "high")}
    return {**rounded, "n": value.n}


def _latency(cell: Cell) -> dict[str, object] | None:
    found = [s.latency_ns for s in cell.measured if s.latency_ns]
    if not found:
        return None
    return {q: _figure(estimate([one[q] for one in found])) for q in (*PERCENTILES, "max")}


def _result(cell: Cell, base: Cell, bound: Cell | None) -> dict[str, object]:
    return {
        "method": cell.contender.method.name,
        "kind": cell.contender.method.kind,
        "threads": cell.threads,
        **{name: _figure(verdicts.figures(cell, name)) for name in FIGURES},
        "latency_ns": _latency(cell),
        f"ratio_to_{BASELINE}": _figure(verdicts.ratio(cell, base)),
        "ratio_to_bound": _figure(verdicts.ratio(cell, bound) if bound else None),
        "windows": len(cell.samples),
        "checked": cell.checked,
        "history_operations": cell.history_operations,
        "findings": [{"rule": f.rule, "text": f.text} for f in cell.findings],
        "disturbed": any(s.disturbed for s in cell.samples),
        "disturbed_windows": [
            {"round": s.round, "text": s.disturbed} for s in cell.samples if s.disturbed
        ],
        "no_progress": [{"round": s.round, "counts": list(s.counts)} for s in cell.stuck],
    }


def plan_document(plan: Plan) -> dict[str, object]:
    """The plan as JSON values."""
    return {
        "methods": [c.method.name for c in plan.contenders],
        "threads": list(plan.threads),
        "sizes": {
            "name": plan.sizes.name,
            "mean_bytes": round(plan.sizes.aligned_mean, 3),
            "table": SIZE_TABLE,
        },
        "pin": plan.pin,
        "rounds": plan.rounds,
        "window_ns": plan.window_ns,
        "warmup_ns": plan.warmup_ns,
        "seed": plan.seed,
        "check": plan.check,
        "budget_ns": plan.budget_ns,
        "baseline": BASELINE,
    }


def _verdict(found: verdicts.Verdict, run: Run) -> dict[str, object]:
    return {
        "ended": run.ended,
        "rounds_done": run.rounds_done,
        "elapsed_s": round(run.elapsed_ns / 1e9, 3),
        "checked": found.checked,
        "by_threads": [
            {
                "threads": place.heat.threads,
                "winners": list(place.winners),
                "kind": place.kind,
                f"ratio_to_{BASELINE}": _figure(place.ratio),
                "text": place.text,
            }
            for place in found.standings
        ],
        "crossover": {"threads": found.crossover, "kind": found.crossover_kind},
        "disturbed": {"windows": found.disturbed, "of": found.windows},
        "text": list(found.lines),
    }


def document(run: Run, found: verdicts.Verdict, machine: dict[str, object]) -> dict[str, object]:
    """The whole JSON document."""
    return {
        "schema": SCHEMA,
        "machine": machine,
        "plan": plan_document(run.plan),
        "results": [_result(cell, run.base(cell.heat), run.bound(cell.heat)) for cell in run.cells],
        "verdict": _verdict(found, run),
    }


def dumps(value: object) -> str:
    """Strict JSON: ValueError rather than NaN."""
    return json.dumps(value, indent=2, allow_nan=False)
