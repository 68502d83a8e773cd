# SPDX-License-Identifier: MIT
"""What a run will do: contenders x thread counts x rounds, fitted into a time budget.

A *cell* is one contender at one thread count; every round runs each cell once. Times are ns.
The time estimate is a model: warm-up, window, and a start that grows with threads per CPU.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from atomics.topology import Cpu
from wal_bench.contender import Contender, Heat
from wal_bench.durations import format_duration
from wal_bench.engine import RIVALS
from wal_bench.errors import UsageError
from wal_bench.sizes import Sizes

BASELINE = "spin"  #: PostgreSQL's method; every ratio is to it
CONTROL = "spin again"  #: the A/A control
COMPARED = (*RIVALS, "bound")  #: kinds that are measured; by default the telling ones of them
DEFAULT_BUDGET_NS = 60 * 10**9
DEFAULT_ROUNDS = 15  #: the interval of a median then leaves out three outliers on either side
GOOD_ROUNDS = 7  #: from 6 on it reaches 95 %, but it is the whole range
FEWEST_ROUNDS = 3
LEAST_WINDOW_NS = 1_000_000  #: that may be asked for
SHORTEST_WINDOW_NS = 20_000_000
GOOD_WINDOW_NS = 50_000_000  #: shorter only where GOOD_ROUNDS would not fit otherwise
LONGEST_WINDOW_NS = 500_000_000
LONGEST_WARMUP_NS = 20_000_000

# Measured on 2 CPUs, 1 to 1024 threads: 2.5 ms for one thread, 20 to 30 ms for 8 per CPU.
_START_NS = 3_000_000
_START_NS_PER_CROWD = 3_000_000
FIXED_NS = 1_500_000_000  #: starting Python, judging, writing
_HISTORY_NS = 50_000_000  #: what one full-history run of a cell takes, checks included


@dataclass(frozen=True)
class Plan:
    """A run, completely decided: the same plan gives the same windows in the same order."""

    contenders: tuple[Contender, ...]  #: a baseline for each way to flush among them
    threads: tuple[int, ...]
    sizes: Sizes
    pin: str
    cpus: tuple[Cpu, ...]  #: the affinity mask
    rounds: int
    window_ns: int
    seed: int
    check: bool  #: one run of each cell with its full history, before the rounds
    budget_ns: int | None  #: no round starts that would pass it; None = take the time it takes

    @property
    def warmup_ns(self) -> int:
        """Before each window: a quarter of it, at most 20 ms."""
        return min(self.window_ns // 4, LONGEST_WARMUP_NS)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.contenders) * len(self.threads)

    @property
    def heats(self) -> tuple[Heat, ...]:
        """All there are, in order."""
        flushes = dict.fromkeys(c.flush for c in self.contenders)
        return tuple(Heat(threads, flush) for threads in self.threads for flush in flushes)

    @property
    def estimate_ns(self) -> int:
        """About how long the run takes (a model)."""
        starts = sum(_START_NS + _START_NS_PER_CROWD * t // len(self.cpus) for t in self.threads)
        one = starts + len(self.threads) * (self.warmup_ns + self.window_ns)
        histories = self.cells * _HISTORY_NS if self.check else 0
        return FIXED_NS + len(self.contenders) * one * self.rounds + histories


def fit(plan: Plan, rounds: int | None, window_ns: int | None, budget_ns: int | None) -> Plan:
    """The plan with rounds, window and budget decided; None = not asked for.

    What was asked for is never changed. If it does not fit into a budget that was asked for
    too, that is a UsageError which says what would fit.
    """
    limit = budget_ns or DEFAULT_BUDGET_NS
    fitted = _largest(plan, rounds, window_ns, limit)
    if fitted.estimate_ns <= limit:
        return replace(fitted, budget_ns=limit)
    if budget_ns is None and (rounds is not None or window_ns is not None):
        return replace(fitted, budget_ns=None)  # asked for more than the default budget holds
    raise UsageError(
        f"budget {format_duration(limit)}: {plan.cells} cells (contenders x thread counts) x "
        f"{fitted.rounds} rounds with a window of {format_duration(fitted.window_ns)} take about "
        f"{format_duration(fitted.estimate_ns)}; ask for that budget, or for fewer methods or "
        "thread counts"
    )


def _largest(plan: Plan, rounds: int | None, window_ns: int | None, limit: int) -> Plan:
    """The best plan within the limit, or the smallest one if none is."""
    for shortest, fewest in ((GOOD_WINDOW_NS, GOOD_ROUNDS), (SHORTEST_WINDOW_NS, FEWEST_ROUNDS)):
        for count in [rounds] if rounds else range(DEFAULT_ROUNDS, fewest - 1, -1):
            candidate = replace(plan, rounds=count, window_ns=window_ns or shortest)
            if candidate.estimate_ns <= limit:
                return candidate if window_ns else _widened(candidate, limit)
    return candidate


def _widened(plan: Plan, limit: int) -> Plan:
    """The same rounds with the longest window that stays within the limit, in whole ms."""
    low, high = plan.window_ns // 1_000_000, LONGEST_WINDOW_NS // 1_000_000
    while low < high:
        middle = (low + high + 1) // 2
        if replace(plan, window_ns=middle * 1_000_000).estimate_ns <= limit:
            low = middle
        else:
            high = middle - 1
    return replace(plan, window_ns=low * 1_000_000)
