# SPDX-License-Identifier: MIT
"""One ``wal-bench run`` from plan to exit code: record, execute, judge, write, show."""

from __future__ import annotations

import sys

from atomics import command
from wal_bench import machine, result, table, words
from wal_bench.errors import EnvironmentUnfit
from wal_bench.plan import Plan
from wal_bench.progress import Bar
from wal_bench.run import execute
from wal_bench.verdict import verdict

_INTERRUPTED = 130


def run(prog: str, plan: Plan, json_path: str | None) -> int:
    """Do it all and return the exit code. The JSON is written before anything is shown."""
    target = None if json_path is None else result.Target(json_path)
    record = machine.record(plan.cpus)
    _warn(prog, record, plan)
    with Bar(prog, plan.rounds) as bar:
        done = execute(plan, bar)
    record["load_after"] = machine.load()
    found = verdict(done)
    lost: OSError | None = None
    if target is not None:
        try:
            target.write(result.dumps(result.document(done, found, record)))
        except OSError as error:
            lost = error
    shown = sys.stderr if json_path == "-" else sys.stdout
    text = table.render(done, found, shown)
    try:
        print(text, file=shown, flush=True) if shown is sys.stderr else command.emit(text)
    except command.OutputLost:
        if target is None:  # the only copy of what was measured
            print(text, file=sys.stderr, flush=True)
        raise
    if lost is not None:
        raise EnvironmentUnfit(f"json {json_path}: writing failed ({lost.strerror})")
    if done.ended == "interrupted":
        return _INTERRUPTED
    return 0 if found.checked and done.ended != "abandoned" else 1


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
