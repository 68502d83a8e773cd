# SPDX-License-Identifier: MIT
"""Many kills: every point of the insert path and random times, methods, gates, ways to publish.

What a kill is like follows from seed and number; when a process dies within it does not.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from wal_bench import insert
from wal_bench.crash import Crash, crash
from wal_bench.engine import WindowPlan
from wal_bench.errors import EnvironmentUnfit
from wal_bench.insert import Disturbance, InsertPlan
from wal_bench.interrupts import Interrupts
from wal_bench.layout import Layout
from wal_bench.sizes import Sizes

AT_ANY_TIME = "any time"

_LAYOUT = Layout(8192, 1 << 20)
_THREADS = (1, 2, 4, 8)
_GATES = (0, 1, 8)
_RINGS = (4, 64, 512)  #: pages; a small one is written when it is full, a large one by commits
_COMMIT_EVERY = 20
_SWITCH_EVERY = 500
_HISTORY = 20_000  #: of each thread: more than it comes to
_LATEST_S = 0.03
_LATEST_PASSAGE = 500  #: at points that each record passes; segments end more rarely
_LIMIT_NS = 4_000_000_000


@dataclass(frozen=True)
class Kill:
    """One of them."""

    number: int
    at: str  #: a name of insert.points, or AT_ANY_TIME
    method: str
    publish: str
    gates: int
    threads: int
    crash: Crash


@dataclass
class Kills:
    """What came of them."""

    seed: int
    done: list[Kill] = field(default_factory=list)
    interrupted: int | None = None  #: the signal that ended it

    @property
    def wrong(self) -> list[Kill]:
        """Those after which something was lost or wrong."""
        return [kill for kill in self.done if kill.crash.findings]


def kill_many(
    count: int,
    seed: int,
    methods: Sequence[str],
    publish: Sequence[str],
    sizes: Sizes,
    folder: Path | None = None,
    early: bool = False,
    told: Callable[[Kill], None] = lambda kill: None,
) -> Kills:
    """Kill so many processes; ``folder`` gets a temporary directory, the system's if None.

    Ctrl-C, SIGTERM and SIGHUP end it with what is done. Raises EnvironmentUnfit where logs cannot
    be written. ``early``: they acknowledge without a flush, to be caught.
    """
    kills = Kills(seed)
    # Never armed: an exception between fork and wait, or while a log is removed, would leave
    # something behind, and a kill takes a fraction of a second.
    with Interrupts() as interrupts:
        for number in range(count):
            kill = _one(number, seed, methods, publish, sizes, folder, early)
            kills.done.append(kill)
            told(kill)
            if interrupts.number is not None:
                break
    kills.interrupted = interrupts.number
    return kills


def _one(
    number: int,
    seed: int,
    methods: Sequence[str],
    publish: Sequence[str],
    sizes: Sizes,
    folder: Path | None,
    early: bool,
) -> Kill:
    rng = np.random.default_rng((seed, number))
    # Every other one dies at a chosen point, one point after the other.
    points = insert.points()
    at = points[number // 2 % len(points)] if number % 2 else AT_ANY_TIME
    threads = int(rng.choice(_THREADS))
    gates = int(rng.choice(_GATES))
    path = InsertPlan(
        layout=_LAYOUT,
        publish=str(rng.choice(list(publish))),
        gates=gates,
        ring_pages=int(rng.choice(_RINGS)),
        commit_every=_COMMIT_EVERY,
        switch_every=_SWITCH_EVERY if gates else 0,
        sync=bool(rng.integers(2)),
        disturbance=None if at == AT_ANY_TIME else Disturbance(at, _passage(at, rng)),
        early=early,
    )
    start = _LAYOUT.usable_in_segment
    plan = WindowPlan(
        method=str(rng.choice(list(methods))),
        cpus=(-1,) * threads,
        sizes=sizes.table(4096, rng),
        offsets=rng.integers(0, 4096, threads).astype(np.uint32),
        history=_HISTORY,
        window_ns=_LIMIT_NS,
        start_tip=start,
        start_prev=start - 64,
        insert=path,
    )
    after_s = float(rng.uniform(0, _LATEST_S)) if at == AT_ANY_TIME else None
    try:
        directory = Path(tempfile.mkdtemp(prefix="dwcas-crash-", dir=folder))
    except OSError as error:
        raise EnvironmentUnfit(f"dir {folder or tempfile.gettempdir()}: {error.strerror}") from None
    try:
        found = crash(replace(plan, insert=replace(path, directory=directory)), after_s)
    finally:
        shutil.rmtree(directory)
    return Kill(number, at, plan.method, path.publish, gates, threads, found)


def _passage(at: str, rng: np.random.Generator) -> int:
    return int(rng.integers(1, 3 if at == "segment-end" else _LATEST_PASSAGE))


def text(kills: Kills) -> str:
    """For people: what happened at each point, and whether anything was lost."""
    head = f"{'killed':<12} {'times':>5} {'returned':>9} {'recovered':>9} {'hole, bytes':>12}"
    lines = [f"{head}  wrong", f"{'':<12} {'':>5} {'records':>9} {'records':>9} {'at most':>12}"]
    for at in (AT_ANY_TIME, *insert.points()):
        done = [kill.crash for kill in kills.done if kill.at == at and kill.crash.killed]
        if done:
            returned, recovered = (
                sum(getattr(c, n) for c in done) for n in ("returned", "records")
            )
            hole, wrong = max(c.hole for c in done), sum(bool(c.findings) for c in done)
            lines.append(
                f"{at:<12} {len(done):>5} {returned:>9} {recovered:>9} {hole:>12}  {wrong or '-'}"
            )
    ended = sum(not kill.crash.killed for kill in kills.done)
    if ended:
        lines.append(f"{ended} ended before they could be killed; their logs were judged, too")
    lines += ["", *_verdict(kills)]
    return "\n".join(lines)


_SHOWN = 5


def _verdict(kills: Kills) -> list[str]:
    count, wrong = len(kills.done), kills.wrong
    lines = ["interrupted: what was done is judged"] if kills.interrupted is not None else []
    if not wrong:
        said = "no acknowledged commit was lost, no record recovered was wrong"
        return [*lines, f"{count} logs: {said} (seed {kills.seed})"]
    lines.append(f"WRONG: {len(wrong)} of {count} logs (seed {kills.seed})")
    for kill in wrong[:_SHOWN]:
        where = f"{kill.method}, {kill.publish}, {kill.gates or 'no'} gates, {kill.threads} threads"
        lines += [
            f"  kill {kill.number} ({kill.at}; {where}): {f.rule}: {f.text}"
            for f in kill.crash.findings
        ]
    return lines
