# SPDX-License-Identifier: MIT
"""The command ``atomics``. Exit codes: 0 ok, 2 usage, 3 no 16-byte CAS on this machine."""

from __future__ import annotations

import json
import platform
import textwrap
from typing import Annotated

import typer

from atomics import command, dispatch, sequences
from atomics.cpu import cpu_model

PROG = "atomics"

app = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="16-byte atomics: what this CPU has and what serves this process.",
)


@app.callback()
def _commands() -> None:
    """Keeps `info` a command of its own: with a single command Typer would drop its name."""


def _report() -> dict[str, object]:
    try:
        chosen, error = dispatch.backend(), None
    except dispatch.NoBackendError as missing:
        chosen, error = None, str(missing)
    build = dispatch.build()
    return {
        "schema": "dwcas.info/1",
        "cpu": cpu_model(),
        "architecture": platform.machine(),
        "features": [
            {"name": f.name, "present": f.present, "source": f.source} for f in dispatch.features()
        ],
        "backends": [
            {"name": b.name, "available": b.available, "chosen": b.name == chosen}
            for b in dispatch.backends()
        ],
        "backend": chosen,
        "lock_free": chosen is not None,
        "error": error,
        "sequences": [
            {"operation": s.operation, "order": s.order, "code": list(s.code), "why": s.why}
            for s in (sequences.of_backend(chosen).values() if chosen else ())
        ],
        "build": {"version": build.version, "compiler": build.compiler, "flags": build.flags},
    }


def _lines(report: dict[str, object]) -> list[str]:
    build = dispatch.build()
    lines = [f"CPU           {report['cpu'] or 'unknown'} ({report['architecture']})"]
    for feature in dispatch.features():
        mark = "yes" if feature.present else "no"
        lines.append(f"feature       {feature.name:<12} {mark:<4} {feature.source}")
    for row in dispatch.backends():
        mark = "chosen" if row.name == report["backend"] else "can run" if row.available else "no"
        lines.append(f"backend       {row.name:<12} {mark}")
    lines.append(f"build         dwcas {build.version}, {build.compiler}")
    lines.append(f"flags         {build.flags}")
    if isinstance(report["backend"], str):
        lines += _sequences(report["backend"])
    return lines


def _sequences(backend: str) -> list[str]:
    """What each operation becomes, and why, wrapped for a terminal."""
    lines = ["", f"what {backend} executes; (A) in orders that acquire, (L) in those that release"]
    for row in sequences.summary(backend):
        lines.append(f"  {row['operations']}")
        lines.append(f"    {row['orders']}: {row['code']}")
        lines += textwrap.wrap(row["why"], 76, initial_indent=" " * 6, subsequent_indent=" " * 6)
    return lines


@app.command()
def info(
    json_: Annotated[bool, typer.Option("--json", help="Print JSON (dwcas.info/1).")] = False,
) -> None:
    """Say which features were found and which backend serves this process."""
    report = _report()
    command.emit(json.dumps(report, indent=2) if json_ else "\n".join(_lines(report)))
    if report["error"] is not None:
        command.say(PROG, f"error: {report['error']}")
        raise typer.Exit(3)


@app.command()
def cost(
    rounds: Annotated[
        int, typer.Option("--rounds", min=1, max=1000, help="Samples of everything.")
    ] = 9,
    json_: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write dwcas.cost/1; - is stdout."),
    ] = None,
    svg: Annotated[
        str | None,
        typer.Option("--svg", metavar="FILE", help="Write the hand-off as a heat map."),
    ] = None,
) -> None:
    """Measure what each 8- and 16-byte operation costs here: caches, other CPUs, hand-off."""
    from atomics import cost_run

    raise typer.Exit(cost_run.run(PROG, rounds, json_, svg))


@app.command()
def check(
    target: Annotated[
        str,
        typer.Argument(
            metavar="FILE[:SYMBOL]",
            help="arm64 code: .S, .s, .o, any ELF file, .hex, words:HEX,HEX or kernel:NAME.",
        ),
    ] = "",
    spec: Annotated[
        str | None,
        typer.Option("--spec", metavar="NAME|FILE.toml", help="What it should be, how called."),
    ] = None,
    cpus: Annotated[
        int | None, typer.Option("--cpus", min=1, max=8, help="Virtual CPUs.  [default: 2]")
    ] = None,
    calls: Annotated[
        int | None, typer.Option("--calls", min=1, max=16, help="Calls of each CPU.  [default: 1]")
    ] = None,
    order: Annotated[
        str | None,
        typer.Option("--order", metavar="ORDER", help="The order it claims: acq_rel, full, ..."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="KEY=VALUE", help="An option of the machine; repeatable."),
    ] = None,
    engine: Annotated[str, typer.Option("--engine", help="native or python.")] = "native",
    executor: Annotated[
        str, typer.Option("--executor", help="Who runs local instructions: own or unicorn.")
    ] = "own",
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=100_000_000, help="States per scenario.")
    ] = 2_000_000,
    json_: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write dwcas.check/1; - is stdout."),
    ] = None,
    junit: Annotated[
        str | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML.")
    ] = None,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Draw the shortest trace.")
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option("--replay", metavar="'SCENARIO: STEPS'", help="Run one trace again."),
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Check every kernel and method of ours.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="List our kernels and stop.")] = False,
) -> None:
    """Check an arm64 sequence in every interleaving.

    Exit 0 right, 1 wrong, 2 usage, 3 not decided.
    """
    from atomics.emulator import check_all, check_run

    if list_:
        command.emit(check_run.list_kernels())
        return
    if all_ and target:
        raise command.UsageError(f"{target} and --all: leave one of them out")
    if all_:
        raise typer.Exit(check_all.run(PROG, cpus or check_run.CPUS, junit))
    for name, value, legal in (
        ("engine", engine, ("native", "python")),
        ("executor", executor, ("own", "unicorn")),
    ):
        if value not in legal:
            raise command.UsageError(f"{name} {value}: one of {', '.join(legal)}")
    if not target:
        raise command.UsageError("FILE[:SYMBOL] is missing: what to check; or --all, --list")
    request = check_run.Request(
        target,
        spec,
        cpus,
        calls,
        order,
        model or [],
        engine,
        executor,
        limit,
        json_,
        junit,
        svg,
        replay,
    )
    raise typer.Exit(check_run.run(PROG, request))


def main() -> None:
    """Entry point of the command."""
    command.run(app, PROG)
