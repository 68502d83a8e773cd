# SPDX-License-Identifier: MIT
"""The JSON of a run, schema ``dwcas.run/1``: strict JSON, figures as {median, low, high, n}.

``results`` has one entry per cell (method x thread count). A figure that could not be measured
or has no meaning is null, never 0 or NaN. docs/json.md explains every key.
"""

from __future__ import annotations

import json
import os
import tempfile
from errno import EACCES, EISDIR
from pathlib import Path

from atomics import command
from wal_bench import verdict as verdicts
from wal_bench.errors import UsageError
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


def _result(cell: Cell, base: Cell) -> dict[str, object]:
    return {
        "method": cell.method.name,
        "kind": cell.method.kind,
        "threads": cell.threads,
        **{name: _figure(verdicts.figures(cell, name)) for name in FIGURES},
        "latency_ns": _latency(cell),
        f"ratio_to_{BASELINE}": _figure(verdicts.ratio(cell, base)),
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
        "methods": [m.name for m in plan.methods],
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
                "threads": place.threads,
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
        "results": [_result(cell, run.base(cell.threads)) for cell in run.cells],
        "verdict": _verdict(found, run),
    }


def dumps(value: object) -> str:
    """Strict JSON: ValueError rather than NaN."""
    return json.dumps(value, indent=2, allow_nan=False)


class Target:
    """Where the JSON goes: a file, or stdout for ``-``. Made before the run, so that a path that
    cannot be written is found out then (UsageError); the file appears whole or not at all."""

    def __init__(self, text: str) -> None:
        self.path = None if text == "-" else Path(text)
        if self.path is None:
            command.require_stdout()
            return
        try:
            self.path = self.path.resolve()  # a link is written through, not replaced
            self._probe(self.path)
        except (OSError, ValueError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(f"json {text}: cannot be written ({reason})") from None

    def _probe(self, path: Path) -> None:
        if path.is_dir():
            raise IsADirectoryError(EISDIR, "a folder; name a file in it")
        if self._is_special(path):
            if not os.access(path, os.W_OK):
                raise PermissionError(EACCES, os.strerror(EACCES))
        else:
            self._temporary(path)[1].unlink()

    @staticmethod
    def _is_special(path: Path) -> bool:
        """A pipe or a device: written in place, when the time comes."""
        return path.exists() and not path.is_file()

    def _temporary(self, path: Path) -> tuple[int, Path]:
        number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        return number, Path(name)

    def write(self, text: str) -> None:
        """All of it, or an OSError and the file as it was."""
        if self.path is None:
            command.emit(text)
        elif self._is_special(self.path):
            self.path.write_text(text + "\n", encoding="utf-8")
        else:
            self._replace(self.path, text)

    def _replace(self, path: Path, text: str) -> None:
        number, temporary = self._temporary(path)
        try:
            with open(number, "w", encoding="utf-8") as out:
                out.write(text + "\n")
            os.chmod(temporary, 0o666 & ~_umask())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
