# SPDX-License-Identifier: MIT
"""One run of any kind from plan to exit code: record, execute, judge, write, show."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TextIO, TypeVar

from atomics import command
from atomics.output import Target
from wal_bench import machine, result
from wal_bench.aside import set_aside
from wal_bench.doctor import check, host
from wal_bench.errors import EnvironmentUnfit
from wal_bench.interrupts import SIGNALLED, Interrupts
from wal_bench.placement import place
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
    _warn(prog, plan)
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


def _warn(prog: str, plan: Plan) -> None:
    """Say what will disturb this run, of what can be seen without measuring."""
    threads = max(plan.threads)
    placed = {cpu for cpu in place(plan.pin, threads, plan.cpus) if cpu >= 0}
    here = host.Host(plan.cpus, threads=threads, at_once=len(placed) or None)
    for row, seen in check.examine(here, before_run=True):
        if seen.level in ("warn", "bad"):
            command.say(prog, f"warning: {row.name}: {seen.found}; {seen.means}")
