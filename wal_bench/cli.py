# SPDX-License-Identifier: MIT
"""The command ``wal-bench``. Exit codes: see atomics/command.py.

Every option is checked before anything runs. Heavy imports happen inside the commands, so that
help and mistakes answer at once.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from atomics import command

if TYPE_CHECKING:
    from wal_bench.engine import Method
    from wal_bench.plan import Plan

PROG = "wal-bench"
_SIGNALLED = 128  #: plus the number, as a shell counts: 130 after Ctrl-C

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="WAL reservation, lock-based and lock-free compared, every window checked.",
)


def _option(name: str, text: str, metavar: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(name, help=text, metavar=metavar)
    return option


def _whole(name: str, value: int | None, least: int, most: int) -> None:
    from wal_bench.errors import UsageError

    if value is not None and not least <= value <= most:
        raise UsageError(f"{name} {value}: out of range; {least} to {most}")


def _reserving(method: Method) -> Method:
    from wal_bench.errors import UsageError

    if method.kind == "engine":
        raise UsageError(f"method {method.name}: reserves nothing; bench/ measures it")
    return method


def _plan(
    methods: list[str],
    all_: bool,
    threads: str,
    sizes: str,
    pin: str,
    rounds: int | None,
    window: str | None,
    budget: str | None,
    seed: int | None,
    check: bool,
) -> Plan:
    from atomics import topology
    from wal_bench import engine, placement, plan
    from wal_bench.contender import Contender
    from wal_bench.durations import parse_duration
    from wal_bench.errors import UsageError
    from wal_bench.sizes import parse_sizes
    from wal_bench.threads import parse_threads

    _whole("rounds", rounds, 1, 10_000)
    _whole("seed", seed, 0, 2**63 - 1)
    cpus = topology.read_topology()
    rows = [_reserving(engine.method(name)) for name in methods]
    if rows and all_:
        raise UsageError("all: every method is meant; leave --method out")
    if not rows:
        known = [m for m in engine.methods() if m.kind in plan.COMPARED]
        rows = [m for m in known if m.telling or all_]
    if all(m.name != plan.BASELINE for m in rows):
        rows.insert(0, engine.method(plan.BASELINE))
        command.say(PROG, f"{plan.BASELINE} is measured too: every ratio is to it")
    placement.place(pin, 1, cpus)  # an unknown policy or CPU ends it here
    undecided = plan.Plan(
        contenders=tuple(
            Contender(row, row.name, row.name == plan.BASELINE) for row in dict.fromkeys(rows)
        ),
        threads=parse_threads(threads, len(cpus)),
        sizes=parse_sizes(sizes),
        pin=pin,
        cpus=cpus,
        rounds=0,
        window_ns=0,
        seed=int.from_bytes(os.urandom(4), "big") if seed is None else seed,
        check=check,
        budget_ns=None,
    )
    window_ns = None if window is None else parse_duration("window", window)
    if window_ns is not None and window_ns < plan.LEAST_WINDOW_NS:
        raise UsageError(f"window {window}: too short to measure anything; at least 1ms")
    budget_ns = None if budget is None else parse_duration("budget", budget)
    return plan.fit(undecided, rounds, window_ns, budget_ns)


def _describe(plan: Plan) -> str:
    from wal_bench.durations import format_duration

    lines = [
        f"methods   {', '.join(c.name for c in plan.contenders)}",
        f"threads   {', '.join(map(str, plan.threads))}",
        f"CPUs      {', '.join(str(cpu.id) for cpu in plan.cpus)}; pin {plan.pin}",
        f"sizes     {plan.sizes.name}, mean {plan.sizes.aligned_mean:.0f} bytes",
        f"rounds    {plan.rounds} x {plan.cells} windows of {format_duration(plan.window_ns)}"
        f" after {format_duration(plan.warmup_ns)} of warm-up, seed {plan.seed}",
        f"checks    sums on every window{', one full history per cell' if plan.check else ''}",
        f"time      about {format_duration(plan.estimate_ns)}",
    ]
    return "\n".join(lines)


@app.command()
def run(
    method: Annotated[
        list[str] | None, _option("--method", "Only this one; repeatable.", "NAME")
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Every method, not only the most telling.")
    ] = False,
    threads: Annotated[
        str, _option("--threads", "List, or A..B: doubling; 8xcpus: times CPUs.", "LIST")
    ] = "1..8xcpus",
    sizes: Annotated[
        str, _option("--sizes", "tpcc, tpcb, fixed:BYTES, file:PATH, ...", "NAME")
    ] = "tpcc",
    pin: Annotated[
        str, _option("--pin", "none, compact, scatter, or CPUs as 0-3,8.", "POLICY")
    ] = "scatter",
    rounds: Annotated[int | None, _option("--rounds", "Default: 15, or what fits.", "N")] = None,
    window: Annotated[
        str | None, _option("--window", "Length of a measurement. Default: what fits.", "TIME")
    ] = None,
    budget: Annotated[
        str | None, _option("--budget", "Whole run, as 20, 20s, 200ms. Default: 60s.", "TIME")
    ] = None,
    seed: Annotated[
        int | None, _option("--seed", "Of orders and sizes. Default: random, recorded.", "N")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Also check one full history per cell.")
    ] = False,
    json_: Annotated[
        str | None,
        _option("--json", "Write dwcas.run/1; - is stdout, the table on stderr.", "FILE"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and its estimated time.")
    ] = False,
) -> None:
    """Measure, check and judge methods at growing thread counts."""
    command.require_stdout()
    plan = _plan(method or [], all_, threads, sizes, pin, rounds, window, budget, seed, check)
    if dry_run:
        command.emit(_describe(plan))
        return
    from wal_bench import job, result, table, verdict

    report = job.Report(verdict.verdict, lambda v: v.judged, result.document, table.render)
    raise typer.Exit(job.run(PROG, plan, json_, report))


@app.command("list")
def list_(
    everything: Annotated[
        bool, typer.Option("--all", help="Also the engine's own and the broken ones.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON (dwcas.list/1).")] = False,
) -> None:
    """Name the methods, locks and sizes there are."""
    import json

    from wal_bench import listing

    shown = (
        json.dumps(listing.document(everything), indent=2) if json_ else listing.text(everything)
    )
    command.emit(shown)


@app.command()
def read(
    files: Annotated[
        list[str], typer.Argument(help="Consecutive segment files, in order.", metavar="FILE...")
    ],
) -> None:
    """Check the write-ahead log in files of PostgreSQL's pg_wal."""
    from pathlib import Path

    from wal_bench import wal_reader, wal_report

    command.require_stdout()
    wal = wal_reader.read_wal([Path(file) for file in files])
    command.emit(wal_report.text(wal))
    raise typer.Exit(int(wal.end.damaged))


@app.command()
def crash(
    kills: Annotated[int, _option("--kills", "How many processes are killed.", "N")] = 200,
    method: Annotated[
        list[str] | None, _option("--method", "Only this one; repeatable.", "NAME")
    ] = None,
    sizes: Annotated[
        str, _option("--sizes", "tpcc, tpcb, fixed:BYTES, file:PATH, ...", "NAME")
    ] = "tpcc",
    directory: Annotated[
        str | None, _option("--dir", "Where logs are written. Default: the system's.", "DIR")
    ] = None,
    seed: Annotated[int | None, _option("--seed", "Default: random, printed.", "N")] = None,
) -> None:
    """Kill processes while they insert, and judge what can be recovered of their logs."""
    from pathlib import Path

    from wal_bench import engine, insert
    from wal_bench import kills as killing
    from wal_bench.errors import UsageError
    from wal_bench.plan import RIVALS
    from wal_bench.progress import Counter
    from wal_bench.sizes import parse_sizes

    command.require_stdout()
    _whole("kills", kills, 1, 1_000_000)
    _whole("seed", seed, 0, 2**63 - 1)
    rows = [engine.method(name) for name in method or []]
    for row in rows:
        if not row.links:
            raise UsageError(f"method {row.name}: returns no prev link, and a record needs one")
    names = [m.name for m in rows or engine.methods() if m.links and (rows or m.kind in RIVALS)]
    with Counter(PROG, "kills", kills) as counter:
        done = killing.kill_many(
            kills,
            int.from_bytes(os.urandom(4), "big") if seed is None else seed,
            names,
            [row.name for row in insert.publishers() if not row.broken],
            parse_sizes(sizes),
            None if directory is None else Path(directory),
            told=lambda _: counter.step(),
        )
    command.emit(killing.text(done))
    if done.wrong or done.interrupted is None:
        raise typer.Exit(int(bool(done.wrong)))
    raise typer.Exit(_SIGNALLED + done.interrupted)


def main() -> None:
    """Entry point of the command."""
    command.run(app, PROG)
