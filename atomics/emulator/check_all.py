# SPDX-License-Identifier: MIT
"""``atomics check --all``: every kernel and reservation method of ours, one line per backend."""

from __future__ import annotations

from collections import defaultdict
from time import perf_counter

from atomics import command
from atomics.emulator import kernels, report
from atomics.emulator.check import RIGHT, UNDECIDED, WRONG, Verdict, check
from atomics.emulator.check_run import EXIT, INTERRUPTED, Progress, not_checked
from atomics.emulator.kernels import Kernel
from atomics.emulator.model import Model, changed
from atomics.emulator.properties import Linearizable
from atomics.emulator.unicorn_cpu import UnicornDecoder
from atomics.output import Target

RUNS = 50  #: random runs of each kernel


def judge(kernel: Kernel, cpus: int, decoder: UnicornDecoder) -> Verdict:
    """The verdict on one kernel, in the model that its backend guarantees."""
    read = kernel.read
    return check(
        kernel.image,
        kernel.specification,
        cpus=cpus,
        order=kernel.order,
        model=changed(Model(), kernel.model),
        object_bytes=kernel.object_bytes,
        initial=kernel.initial,
        properties=lambda: [Linearizable(read)],
        decoder=decoder,
        runs=RUNS,
    )


def run(prog: str, cpus: int, junit: str | None) -> int:
    """Check all; shows a line per backend, and the whole report of what is not right."""
    command.require_stdout()
    where = Target("junit", junit) if junit is not None else None
    decoder = UnicornDecoder(every=False)
    rows: dict[str, list[Verdict]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    interrupted = False
    with Progress() as progress:
        try:
            for number, kernel in enumerate(kernels.distinct()):
                backend = kernel.backend
                start = perf_counter()
                progress.show(f"kernels, now {kernel.name}", number)
                verdict = judge(kernel, cpus, decoder)
                seconds[backend] += perf_counter() - start
                rows[backend].append(verdict)
                if verdict.interrupted:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            interrupted = True
    found = [verdict for row in rows.values() for verdict in row]
    text = _table(rows, seconds, cpus)
    if where is not None:
        where.write(report.junit(found))
        if where.path is None:
            command.note(text)
            return _code(prog, found, interrupted)
    for verdict in found:
        if verdict.result != RIGHT:
            command.emit(report.text(verdict) + "\n")
    command.emit(text)
    return _code(prog, found, interrupted)


def _table(rows: dict[str, list[Verdict]], seconds: dict[str, float], cpus: int) -> str:
    lines = [f"{'backend':<14}{'kernels':>8}{'states':>12}{'runs':>9}{'seconds':>9}  result"]
    for backend, row in rows.items():
        states = sum(one.states for one in row)
        runs = sum(one.walks.runs for one in row if one.walks)
        wrong = [one for one in row if one.result != RIGHT]
        result = RIGHT if not wrong else f"{len(wrong)} not right"
        lines.append(
            f"{backend:<14}{len(row):>8}{states:>12,}{runs:>9,}{seconds[backend]:>9.1f}  {result}"
        )
    lines.append("")
    lines.append(f"{cpus} CPUs; kernels with the same words are checked once")
    lines += not_checked()
    return "\n".join(lines)


def _code(prog: str, found: list[Verdict], interrupted: bool) -> int:
    if interrupted:
        command.say(prog, "interrupted: what was checked is shown")
        return INTERRUPTED
    results = {one.result for one in found}
    return EXIT[WRONG if WRONG in results else UNDECIDED if UNDECIDED in results else RIGHT]
