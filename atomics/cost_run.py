# SPDX-License-Identifier: MIT
"""``atomics cost`` from options to exit code; an interrupt keeps the rounds that are done."""

from __future__ import annotations

import json
import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from atomics import command, cost, cost_svg, cost_table
from atomics.command import EnvironmentUnfit, UsageError
from atomics.cost import Costs
from atomics.dispatch import NoBackendError
from atomics.output import Target
from atomics.topology import read_topology

_INTERRUPTED = 130


def run(prog: str, rounds: int, json_path: str | None, svg_path: str | None) -> int:
    """Measure, write, show; the exit code."""
    command.require_stdout()
    cpus = read_topology()
    try:
        costs = cost.prepare(cpus)
    except NoBackendError as missing:
        raise EnvironmentUnfit(str(missing)) from None
    if svg_path is not None and not costs.handoff:
        raise UsageError(f"svg {svg_path}: {costs.missing[0]}")
    json_target = None if json_path is None else Target("json", json_path)
    svg_target = None if svg_path is None else Target("svg", svg_path)
    code = _measure(costs, rounds)
    lost: OSError | None = None
    try:
        if json_target is not None:
            document = cost.document(costs, cpus)
            json_target.write(json.dumps(document, indent=2, allow_nan=False))
        if svg_target is not None and any(costs.handoff.values()):
            svg_target.write(cost_svg.render(costs))
    except OSError as error:  # the table is shown all the same
        lost = error
    text = cost_table.render(costs)
    if "-" in (json_path, svg_path):
        command.note(text)
    else:
        command.emit(text)
    if lost is not None:
        raise EnvironmentUnfit(f"writing failed ({lost.strerror}): {json_path or svg_path}")
    if code:
        command.say(prog, "interrupted: what was measured is kept")
    return code


def _measure(costs: Costs, rounds: int) -> int:
    console = Console(file=sys.stderr, highlight=False) if sys.stderr else Console(quiet=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeRemainingColumn(),
        console=console,
        auto_refresh=False,  # a thread that draws would disturb what is measured
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task("measuring", total=rounds * cost.steps(costs))

    def step() -> None:
        bar.update(task, advance=1)
        bar.refresh()

    try:
        with bar:
            for _ in range(rounds):
                cost.measure_round(costs, step)
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0
