# SPDX-License-Identifier: MIT
"""Whole insertions made up step by step: a few threads, one clock, and a random one goes on.

Written for tests of the oracle: no arrays, no formulas of positions but the walk over a small log.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wal_bench.dtypes import HISTORY_DTYPE, INSERTION_DTYPE
from wal_bench.insert import InsertPlan, InsertResult
from wal_bench.insertions import Insertions
from wal_bench.layout import Layout

LAYOUT = Layout(512, 4 * 512)
USABLE = LAYOUT.usable_in_segment  # 1936: pages of 472, 488, 488 and 488
SEGMENT = USABLE * 100  # where the log begins
NO_GATE = 2**32 - 1


def page_begins(position: int) -> int:
    """The last first-byte-of-a-page up to a position."""
    segment, rest = divmod(position, USABLE)
    return segment * USABLE + max(begin for begin in (0, 472, 960, 1448) if begin <= rest)


@dataclass
class Made:
    """An insertion and all that is known of it."""

    thread: int
    size: int
    begin_ns: int = 0
    asked_ns: int = 0
    seen: int = 0
    seen_ns: int = 0
    gate: int = NO_GATE
    start: int = 0
    end: int = 0
    prev: int = 0
    reserved_ns: int = 0
    copied_ns: int = 0
    published_ns: int = 0
    flushed: int = 0
    finish_ns: int = 0
    switched: int = 0


@dataclass
class Machine:
    plan: InsertPlan
    random: random.Random
    tick: int  # ns; the longest step
    now: int = 10_000_000
    tip: int = SEGMENT
    prev: int = SEGMENT - 64
    told: int = SEGMENT  # the highest answer
    flushed: int = SEGMENT
    held: set[int] = field(default_factory=set)
    incomplete: dict[int, int] = field(default_factory=dict)  # start -> where its rest begins
    busy: int = 0
    made: list[Made] = field(default_factory=list)

    def clock(self) -> int:
        self.now += self.random.randint(1, self.tick)
        return self.now

    def complete(self) -> int:
        return min(self.incomplete.values(), default=self.tip)

    def watermark(self) -> int:
        """Any end between the last answer and what is complete; late only with others at work."""
        ends = [m.end for m in self.made if self.told <= m.end <= self.complete()]
        choices = [self.complete(), *(ends if self.busy > 1 else [])]
        self.told = max(self.told, self.random.choice(choices))
        return self.told


def insertion(machine: Machine, m: Made, turn: int) -> Iterator[None]:
    """One insertion; it may be interrupted at each ``yield``."""
    plan = machine.plan
    m.begin_ns = machine.clock()
    yield
    machine.busy += 1
    m.asked_ns = machine.clock()
    yield
    m.seen = machine.watermark()
    yield
    m.seen_ns = machine.clock()
    switch = m.thread == 0 and plan.switch_every and turn % plan.switch_every == 0
    if switch:
        while machine.held:
            yield
        switch = machine.tip % USABLE != 0
    gates = set(range(plan.gates)) if switch else set()
    if plan.gates and not switch:
        m.gate = machine.random.randrange(plan.gates)
        while m.gate in machine.held:
            yield
        gates = {m.gate}
    machine.held |= gates
    m.start, m.prev, m.end = machine.tip, machine.prev, machine.tip + m.size
    if switch:
        m.switched, m.gate = 1, plan.gates - 1
        m.end = -(-(m.start + 24) // USABLE) * USABLE
    machine.tip, machine.prev = m.end, m.start
    machine.incomplete[m.start] = m.start
    yield
    m.reserved_ns = machine.clock()
    page = page_begins(m.start)
    while (page := page_begins(page + 488)) < m.end:
        if machine.random.random() < 0.5:
            yield
            machine.incomplete[m.start] = page
    m.copied_ns = machine.clock()
    yield
    del machine.incomplete[m.start]
    machine.made.append(m)
    yield
    m.published_ns = machine.clock()
    machine.held -= gates
    if plan.directory and plan.commit_every and turn % plan.commit_every == 0:
        while machine.complete() < m.end:
            yield
        machine.flushed = max(machine.flushed, machine.complete())
        m.flushed = machine.flushed
    yield
    m.finish_ns = machine.clock()
    machine.busy -= 1


def right(
    each: int = 20, threads: int = 3, seed: int = 1, tick: int = 9, **plan: Any
) -> tuple[list[Made], InsertPlan]:
    """``each`` insertions of each thread, as they should be; in a log of tiny pages."""
    values: dict[str, Any] = {"layout": LAYOUT, "gates": 2, "ring_pages": 16}
    machine = Machine(InsertPlan(**(values | plan)), random.Random(seed), tick)
    sizes = [8 * machine.random.randint(4, 120) for _ in range(13)]

    def work(thread: int) -> Iterator[None]:
        for turn in range(1, each + 1):
            size = sizes[(thread * 5 + turn) % len(sizes)]
            yield from insertion(machine, Made(thread, size), turn)
            yield

    running = [work(thread) for thread in range(threads)]
    while running:
        one = machine.random.choice(running)
        if next(one, running) is running:
            running.remove(one)
    return machine.made, machine.plan


def committing(**plan: Any) -> tuple[list[Made], InsertPlan]:
    return right(**({"directory": Path("nowhere"), "commit_every": 3} | plan))


def insertions(made: list[Made], plan: InsertPlan, ended: bool = True) -> Insertions:
    """As the engine leaves them."""
    rows = sorted(made, key=lambda m: (m.thread, m.begin_ns))
    threads = max(m.thread for m in made) + 1
    return Insertions(
        plan=plan,
        history=np.array([tuple(getattr(m, n) for n in HISTORY_DTYPE.names) for m in rows],
                         HISTORY_DTYPE),
        inserted=np.array([tuple(getattr(m, n) for n in INSERTION_DTYPE.names) for m in rows],
                          INSERTION_DTYPE),
        counts=np.bincount([m.thread for m in rows], minlength=threads).astype(np.uint64),
        start_tip=SEGMENT,
        end_tip=max(m.end for m in made),
        ended=ended,
    )  # fmt: skip


def result(made: list[Made], plan: InsertPlan, **changes: int) -> InsertResult:
    tip, switches = max(m.end for m in made), [m for m in made if m.switched]
    values = dict.fromkeys(InsertResult.__dataclass_fields__, 0) | {
        "watermark": tip,
        "written": tip if plan.directory else SEGMENT,
        "commits": sum(m.flushed > 0 for m in made),
        "switches": len(switches),
        "switch_bytes": sum(m.end - m.start - m.size for m in switches) % 2**64,
    }
    return InsertResult(**(values | changes))
