# SPDX-License-Identifier: MIT
"""The JSON of a run, schema ``dwcas.run/1``: strict JSON, figures as {median, low, high, n}.

``results`` has one entry per cell (method x thread count), ``controls`` those of the baseline
measured once more. A figure that could not be measured
or has no meaning is null, never 0 or NaN. docs/json.md explains every key.
"""

from __future__ import annotations

import json
from statistics import median

from wal_bench import standings
from wal_bench.plan import BASELINE, Plan
from wal_bench.run import SIZE_TABLE, Cell, Run
from wal_bench.samples import PERCENTILES, Sample
from wal_bench.standings import Judged, Standing
from wal_bench.stats import Estimate, estimate
from wal_bench.verdict import Verdict

SCHEMA = "dwcas.run/1"
FIGURES = ("ops_per_s", "ns_per_op", "retries_per_op", "jain", "cpu_ns_per_op")


def figure(value: Estimate | None) -> dict[str, float | int] | None:
    """An estimate with six significant digits."""
    if value is None:
        return None
    rounded = {k: _rounded(getattr(value, k)) for k in ("median", "low", "high")}
    return {**rounded, "n": value.n}


def _latency(cell: Cell) -> dict[str, object] | None:
    found = [s.latency_ns for s in cell.measured if s.latency_ns]
    if not found:
        return None
    return {q: figure(estimate([one[q] for one in found])) for q in (*PERCENTILES, "max")}


def cell_document(cell: Cell) -> dict[str, object]:
    """What is said of a cell of any kind of run."""
    return {
        "method": cell.contender.method.name,
        "kind": cell.contender.method.kind,
        "threads": cell.threads,
        **{name: figure(standings.figures(cell, name)) for name in FIGURES},
        "latency_ns": _latency(cell),
        "windows": len(cell.samples),
        "checked": cell.checked,
        "history_operations": cell.history_operations,
        "findings": [{"rule": f.rule, "text": f.text} for f in cell.findings],
        "disturbed": any(s.disturbed for s in cell.samples),
        "disturbed_windows": [
            {"round": s.round, "text": s.disturbed} for s in cell.samples if s.disturbed
        ],
        "no_progress": [{"round": s.round, "counts": list(s.counts)} for s in cell.stuck],
        "set_aside": [{"round": n, "reason": why} for n, why in sorted(cell.aside.items())],
        "samples": [_sample(s) for s in cell.samples],
    }


def _sample(sample: Sample) -> dict[str, object]:
    """A window as it was, with the figures of its own and without what is said elsewhere."""
    return {
        "round": sample.round,
        "status": sample.status,
        "figures": {name: _rounded(value) for name, value in sample.figures.items()},
        "latency_ns": {name: _rounded(value) for name, value in sample.latency_ns.items()},
        "counts": list(sample.counts),
    }


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def _of(cell: Cell, run: Run) -> dict[str, object]:
    base, bound = run.base(cell.heat), run.bound(cell.heat)
    return cell_document(cell) | {
        f"ratio_to_{BASELINE}": figure(standings.ratio(cell, base)),
        "ratio_to_bound": figure(standings.ratio(cell, bound) if bound else None),
    }


def plan_document(plan: Plan) -> dict[str, object]:
    """A plan of any kind as JSON values, without its contenders."""
    return {
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
    }


def canary_document(run: Run) -> dict[str, object] | None:
    """The readings of the canary; None where there were none."""
    if not run.canary:
        return None
    return {
        "median_ns": _rounded(median(run.canary.values())),
        "readings": [
            {"round": round_, "threads": heat.threads, "flush": heat.flush or "none", "ns": ns}
            for (round_, heat), ns in run.canary.items()
        ],
    }


def verdict_document(judged: Judged, run: Run) -> dict[str, object]:
    """What is said of a run of any kind, but for its standings."""
    return {
        "ended": run.ended,
        "rounds_done": run.rounds_done,
        "elapsed_s": round(run.elapsed_ns / 1e9, 3),
        "checked": judged.checked,
        "disturbed": {"windows": judged.disturbed, "of": judged.windows},
        "set_aside": judged.set_aside,
        "text": list(judged.lines),
    }


def standing_document(place: Standing) -> dict[str, object]:
    """Who leads in a heat, but for the ratio to its baseline."""
    return {
        "threads": place.heat.threads,
        "winners": list(place.winners),
        "kind": place.kind,
        "control": figure(place.control),
        "text": place.text,
    }


def _verdict(found: Verdict, run: Run) -> dict[str, object]:
    return verdict_document(found.judged, run) | {
        "by_threads": [
            standing_document(place) | {f"ratio_to_{BASELINE}": figure(place.ratio)}
            for place in found.judged.standings
        ],
        "crossover": {"threads": found.crossover, "kind": found.crossover_kind},
    }


def document(run: Run, found: Verdict, machine: dict[str, object]) -> dict[str, object]:
    """The whole JSON document."""
    return {
        "schema": SCHEMA,
        "machine": machine,
        "plan": {
            "methods": [c.method.name for c in run.plan.contenders if not c.control],
            **plan_document(run.plan),
            "baseline": BASELINE,
        },
        "results": [_of(cell, run) for cell in run.cells if not cell.contender.control],
        "controls": [_of(cell, run) for cell in run.cells if cell.contender.control],
        "canary": canary_document(run),
        "verdict": _verdict(found, run),
    }


def dumps(value: object) -> str:
    """Strict JSON: ValueError rather than NaN."""
    return json.dumps(value, indent=2, allow_nan=False)
