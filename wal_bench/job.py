# SPDX-License-Identifier: MIT
"""One run of any kind from plan to exit code: record, execute, judge, write, show."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TextIO, TypeVar

from atomics import command
from atomics.output import Target
from wal_bench import machine, result, words
from wal_bench.aside import set_aside
from wal_bench.errors import EnvironmentUnfit
from wal_bench.interrupts import SIGNALLED, Interrupts
from wal_bench.plan import Plan
from wal_bench.progress import Bar
from wal_bench.run import Run, execute
from wal_bench.standings import Judged

Found = TypeVar("Found")


@dataclass(frozen=True)
class Report(Generic[Found]):
    """How one kind of run is judged and told."""

    judge: Callable[[Run], Found]
    judged: Callable[[Found], Judged]  #: the part of it that is alike in all kinds
    document: Callable[[Run, Found, dict[str, object]], dict[str, object]]
    render: Callable[[Run, Found, TextIO | None], str]


def run(prog: str, plan: Plan, json_path: str | None, report: Report[Found]) -> int:
    """Do it all and return the exit code. The JSON is written before anything is shown."""
    target = None if json_path is None else Target("json", json_path)
    record = machine.record(plan.cpus)
    _warn(prog, record, plan)
    with Interrupts() as interrupts:
        with Bar(prog, plan.rounds) as bar:
            done = execute(plan, bar, interrupts)
        set_aside(done)
        record["load_after"] = machine.load()
        found = report.judge(done)
        lost: OSError | None = None
        if target is not None:
            try:
                target.write(result.dumps(report.document(done, found, record)))
            except OSError as error:
                lost = error
    _show(report.render(done, found, sys.stderr if json_path == "-" else sys.stdout), json_path)
    if lost is not None:
        raise EnvironmentUnfit(f"json {json_path}: writing failed ({lost.strerror})")
    if done.refusal is not None:
        raise done.refusal
    if interrupts.number is not None:
        return SIGNALLED + interrupts.number
    return 0 if report.judged(found).checked and done.ended != "abandoned" else 1


def _show(text: str, json_path: str | None) -> None:
    if json_path == "-":  # stdout is taken
        command.note(text)
        return
    try:
        command.emit(text)
    except command.OutputLost:
        if json_path is None:  # the only copy of what was measured
            command.note(text)
        raise


def _warn(prog: str, record: dict[str, object], plan: Plan) -> None:
    cpus = len(plan.cpus)
    quota, load = record["cpu_quota"], record["load_before"]
    if isinstance(quota, float) and quota < cpus:
        command.say(
            prog,
            f"warning: the CPU quota {quota:g} is below the {words.count(cpus, 'CPU')} used; "
            "threads will be stopped in the middle of windows",
        )
    if isinstance(load, float) and load > 0.5 * cpus:
        command.say(
            prog, f"warning: load {load:.1f} with {words.count(cpus, 'CPU')}: others are busy here"
        )
