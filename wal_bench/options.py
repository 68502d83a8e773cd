# SPDX-License-Identifier: MIT
"""Options that several commands share, and what they say together: a plan that fits its budget."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wal_bench.contender import Contender
    from wal_bench.engine import Method
    from wal_bench.plan import Plan

PROG = "wal-bench"


def option(name: str, text: str, metavar: str) -> typer.models.OptionInfo:
    """An option with a value."""
    made: typer.models.OptionInfo = typer.Option(name, help=text, metavar=metavar)
    return made


Methods = Annotated[list[str] | None, option("--method", "Only this one; repeatable.", "NAME")]
Threads = Annotated[
    str, option("--threads", "List, or A..B: doubling; 8xcpus: times CPUs.", "LIST")
]
Sizes = Annotated[str, option("--sizes", "tpcc, tpcb, fixed:BYTES, file:PATH, ...", "NAME")]
Pin = Annotated[str, option("--pin", "none, compact, scatter, or CPUs as 0-3,8.", "POLICY")]
Rounds = Annotated[int | None, option("--rounds", "Default: 15, or what fits.", "N")]
Window = Annotated[
    str | None, option("--window", "Length of a measurement. Default: what fits.", "TIME")
]
Budget = Annotated[
    str | None, option("--budget", "Whole run, as 20, 20s, 200ms. Default: 60s.", "TIME")
]
Seed = Annotated[
    int | None, option("--seed", "Of orders and sizes. Default: random, recorded.", "N")
]
Check = Annotated[bool, typer.Option("--check", help="Also check one full history per cell.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the plan and its estimated time.")]

THREADS, SIZES, PIN = "1..8xcpus", "tpcc", "scatter"  #: the defaults


def whole(name: str, value: int | None, least: int, most: int) -> None:
    """Raise UsageError if a number is out of range."""
    from wal_bench.errors import UsageError

    if value is not None and not least <= value <= most:
        raise UsageError(f"{name} {value}: out of range; {least} to {most}")


def seed_or_random(seed: int | None) -> int:
    """The one that was asked for, after its range is checked."""
    whole("seed", seed, 0, 2**63 - 1)
    return int.from_bytes(os.urandom(4), "big") if seed is None else seed


def reserving(name: str) -> Method:
    """The method of that name. Raises UsageError if there is none, or if it reserves nothing."""
    from wal_bench import engine
    from wal_bench.errors import UsageError

    method = engine.method(name)
    if method.kind == "engine":
        raise UsageError(f"method {method.name}: reserves nothing; bench/ measures it")
    return method


def linking(name: str, instead: str = "") -> Method:
    """The same for a method whose records can be written; ``instead`` ends the UsageError."""
    from wal_bench.errors import UsageError

    method = reserving(name)
    if not method.links:
        raise UsageError(
            f"method {name}: returns no prev link, and a record that is copied needs one{instead}"
        )
    return method


def plan_of(
    contenders: Sequence[Contender],
    threads: str,
    sizes: str,
    pin: str,
    rounds: int | None,
    window: str | None,
    budget: str | None,
    seed: int | None,
    check: bool,
) -> Plan:
    """The whole plan. Raises UsageError for the first thing that is wrong."""
    from atomics import topology
    from wal_bench import placement, plan
    from wal_bench.durations import parse_duration
    from wal_bench.errors import UsageError
    from wal_bench.sizes import parse_sizes
    from wal_bench.threads import parse_threads

    cpus = topology.read_topology()
    whole("rounds", rounds, 1, 10_000)
    placement.place(pin, 1, cpus)  # an unknown policy or CPU ends it here
    undecided = plan.Plan(
        contenders=tuple(contenders),
        threads=parse_threads(threads, len(cpus)),
        sizes=parse_sizes(sizes),
        pin=pin,
        cpus=cpus,
        rounds=0,
        window_ns=0,
        seed=seed_or_random(seed),
        check=check,
        budget_ns=None,
    )
    window_ns = None if window is None else parse_duration("window", window)
    if window_ns is not None and window_ns < plan.LEAST_WINDOW_NS:
        raise UsageError(f"window {window}: too short to measure anything; at least 1ms")
    budget_ns = None if budget is None else parse_duration("budget", budget)
    return plan.fit(undecided, rounds, window_ns, budget_ns)


def described(plan: Plan, *first: str) -> str:
    """A plan for people, after the lines about what is compared."""
    from wal_bench.durations import format_duration

    lines = [
        *first,
        f"control   {next(c.name for c in plan.contenders if c.control)}",
        f"threads   {', '.join(map(str, plan.threads))}",
        f"CPUs      {', '.join(str(cpu.id) for cpu in plan.cpus)}; pin {plan.pin}",
        f"sizes     {plan.sizes.name}, mean {plan.sizes.aligned_mean:.0f} bytes",
        f"rounds    {plan.rounds} x {plan.cells} windows of {format_duration(plan.window_ns)}"
        f" after {format_duration(plan.warmup_ns)} of warm-up, seed {plan.seed}",
        f"checks    sums on every window{', one full history per cell' if plan.check else ''}",
        f"time      about {format_duration(plan.estimate_ns)}",
    ]
    return "\n".join(lines)
