# SPDX-License-Identifier: MIT
"""The command ``wal-bench``. Exit codes: see atomics/command.py.

Every option is checked before anything runs. Heavy imports happen inside the commands, so that
help and mistakes answer at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from atomics import command
from wal_bench import doctor_cli, insert_cli, options, report_cli
from wal_bench.options import PROG, option

if TYPE_CHECKING:
    from wal_bench.contender import Contender

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="WAL reservation, lock-based and lock-free compared, every window checked.",
)


def _contenders(methods: list[str], all_: bool) -> list[Contender]:
    from wal_bench import engine, plan
    from wal_bench.contender import Contender
    from wal_bench.errors import UsageError

    rows = [options.reserving(name) for name in methods]
    if rows and all_:
        raise UsageError("all: every method is meant; leave --method out")
    if not rows:
        known = [m for m in engine.methods() if m.kind in plan.COMPARED]
        rows = [m for m in known if m.telling or all_]
    if all(m.name != plan.BASELINE for m in rows):
        rows.insert(0, engine.method(plan.BASELINE))
        command.say(PROG, f"{plan.BASELINE} is measured too: every ratio is to it")
    control = Contender(engine.method(plan.BASELINE), plan.CONTROL, control=True)
    return [
        *(Contender(row, row.name, row.name == plan.BASELINE) for row in dict.fromkeys(rows)),
        control,
    ]


@app.command()
def run(
    method: options.Methods = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Every method, not only the most telling.")
    ] = False,
    threads: options.Threads = options.THREADS,
    sizes: options.Sizes = options.SIZES,
    pin: options.Pin = options.PIN,
    rounds: options.Rounds = None,
    window: options.Window = None,
    budget: options.Budget = None,
    seed: options.Seed = None,
    check: options.Check = False,
    json_: Annotated[
        str | None,
        option("--json", "Write dwcas.run/1; - is stdout, the table on stderr.", "FILE"),
    ] = None,
    dry_run: options.DryRun = False,
) -> None:
    """Measure, check and judge methods at growing thread counts."""
    command.require_stdout()
    contenders = _contenders(method or [], all_)
    plan = options.plan_of(contenders, threads, sizes, pin, rounds, window, budget, seed, check)
    if dry_run:
        names = ", ".join(c.name for c in plan.contenders if not c.control)
        command.emit(options.described(plan, f"methods   {names}"))
        return
    from wal_bench import job, result, table, verdict

    report = job.Report(verdict.verdict, lambda v: v.judged, result.document, table.render)
    raise typer.Exit(job.run(PROG, plan, json_, report))


app.command()(insert_cli.insert)
app.command()(insert_cli.write)
app.command()(doctor_cli.doctor)
app.command()(report_cli.report)


@app.command("list")
def list_(
    everything: Annotated[
        bool, typer.Option("--all", help="Also the engine's own and the broken ones.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON (dwcas.list/1).")] = False,
) -> None:
    """Name the methods, locks, ways to publish and sizes there are."""
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
    kills: Annotated[int, option("--kills", "How many processes are killed.", "N")] = 200,
    method: options.Methods = None,
    sizes: options.Sizes = options.SIZES,
    directory: Annotated[
        str | None, option("--dir", "Where logs are written. Default: the system's.", "DIR")
    ] = None,
    seed: options.Seed = None,
) -> None:
    """Kill processes while they insert, and judge what can be recovered of their logs."""
    from pathlib import Path

    from wal_bench import engine, insert
    from wal_bench import kills as killing
    from wal_bench.interrupts import SIGNALLED
    from wal_bench.progress import Counter
    from wal_bench.sizes import parse_sizes

    command.require_stdout()
    options.whole("kills", kills, 1, 1_000_000)
    rows = [options.linking(name) for name in method or []]
    rows = rows or [m for m in engine.methods() if m.links and m.kind in engine.RIVALS]
    with Counter(PROG, "kills", kills) as counter:
        done = killing.kill_many(
            kills,
            options.seed_or_random(seed),
            [row.name for row in rows],
            [row.name for row in insert.publishers() if not row.broken],
            parse_sizes(sizes),
            None if directory is None else Path(directory),
            told=lambda _: counter.step(),
        )
    command.emit(killing.text(done))
    if done.wrong or done.interrupted is None:
        raise typer.Exit(int(bool(done.wrong)))
    raise typer.Exit(SIGNALLED + done.interrupted)


def main() -> None:
    """Entry point of the command."""
    command.run(app, PROG)
