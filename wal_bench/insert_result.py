# SPDX-License-Identifier: MIT
"""The JSON of a run of whole insertions, schema ``dwcas.insert/1``; docs/json.md has every key."""

from __future__ import annotations

from wal_bench import insert_figures, result, standings
from wal_bench.contender import Heat
from wal_bench.insert_contenders import STOCK
from wal_bench.insert_verdict import Behind, InsertVerdict, path_of
from wal_bench.log_files import KEPT_SEGMENTS
from wal_bench.result import figure
from wal_bench.run import Cell, Run
from wal_bench.standings import Standing

SCHEMA = "dwcas.insert/1"


def _gates(number: int) -> int | None:
    return number or None


def _flush(heat: Heat) -> str:
    return heat.flush or "none"


def _of(cell: Cell, run: Run) -> dict[str, object]:
    plan, base = path_of(cell).insert, run.base(cell.heat)
    return {
        "name": cell.contender.name,
        "gates": _gates(plan.gates),
        "publish": plan.publish,
        "flush": _flush(cell.heat),
        **result.cell_document(cell),
        **{name: figure(standings.figures(cell, name)) for name in insert_figures.NAMES},
        "ratio_to_stock": figure(standings.ratio(cell, base)),
    }


def _plan(run: Run) -> dict[str, object]:
    plans = [path_of(cell).insert for cell in run.cells]
    every = {_flush(cell.heat): path_of(cell).insert.commit_every for cell in run.cells}
    shared = plans[0]
    return {
        "methods": list(dict.fromkeys(c.method.name for c in run.plan.contenders)),
        "gates": [_gates(number) for number in dict.fromkeys(plan.gates for plan in plans)],
        "publish": list(dict.fromkeys(plan.publish for plan in plans)),
        "flush": [{"name": name, "commit_every": n or None} for name, n in every.items()],
        "copy": shared.copy,
        "ring_pages": shared.ring_pages,
        "page_size": shared.layout.page_size,
        "segment_size": shared.layout.segment_size,
        "keep_segments": KEPT_SEGMENTS,
        **result.plan_document(run.plan),
        "baseline": STOCK,
    }


def _standing(place: Standing) -> dict[str, object]:
    return {
        "flush": _flush(place.heat),
        **result.standing_document(place),
        "ratio_to_stock": figure(place.ratio),
    }


def _behind(one: Behind) -> dict[str, object]:
    return {
        "threads": one.heat.threads,
        "flush": _flush(one.heat),
        "publish": one.publish,
        "gates": _gates(one.gates),
        "best": one.best,
        "ratio_to_spin": figure(one.ratio),
        "pays": one.pays,
    }


def _pays_from(found: InsertVerdict) -> list[dict[str, object]]:
    ways = dict.fromkeys((one.heat, one.publish) for one in found.behind)
    return [
        {
            "threads": heat.threads,
            "flush": _flush(heat),
            "publish": publish,
            "ever": (least := found.pays_from(heat, publish)) is not None,
            "gates": least or None,
        }
        for heat, publish in ways
    ]


def document(run: Run, found: InsertVerdict, machine: dict[str, object]) -> dict[str, object]:
    """The whole JSON document."""
    return {
        "schema": SCHEMA,
        "machine": machine,
        "plan": _plan(run),
        "results": [_of(cell, run) for cell in run.cells if not cell.contender.control],
        "controls": [_of(cell, run) for cell in run.cells if cell.contender.control],
        "canary": result.canary_document(run),
        "verdict": {
            **result.verdict_document(found.judged, run),
            "by_threads": [_standing(place) for place in found.judged.standings],
            "by_gates": [_behind(one) for one in found.behind],
            "method_pays_from": _pays_from(found),
        },
    }
