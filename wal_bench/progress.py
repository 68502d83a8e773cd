# SPDX-License-Identifier: MIT
"""What a person sees on stderr while a run goes on. No threads: they would disturb it."""

from __future__ import annotations

import io
import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from wal_bench.findings import Finding
from wal_bench.run import Cell, Observer
from wal_bench.samples import Sample

_SHOWN = 3  #: findings per cell on stderr; all are in the JSON
_COUNTS = 16  #: per-thread counts on a line


_WIDE = 34  #: columns for what is being measured, so that the bar stands still


def _stderr() -> Console:
    return Console(file=sys.stderr or io.StringIO(), highlight=False, soft_wrap=True)


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        auto_refresh=False,
        transient=True,
        disable=not console.is_terminal,
    )


class Counter:
    """The same for things that are only counted; a line per tenth where it is no terminal."""

    def __init__(self, prog: str, what: str, total: int) -> None:
        self._prog, self._what, self._total, self._done = prog, what, total, 0
        self._console = _stderr()
        self._bar = _bar(self._console)
        self._task = self._bar.add_task(what, total=total)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        self._bar.update(self._task, advance=1)
        self._bar.refresh()
        tenth = self._done * 10 // self._total
        if not self._console.is_terminal and tenth > (self._done - 1) * 10 // self._total:
            text = f"{self._prog}: {self._done} of {self._total} {self._what}"
            self._console.print(text, markup=False)


class Bar(Observer):
    """A progress bar where stderr is a terminal, a line per round where it is not."""

    def __init__(self, prog: str, rounds: int) -> None:
        self._prog, self._rounds = prog, rounds
        self._console = _stderr()
        self._bar = _bar(self._console)
        self._task = self._bar.add_task(f"{'starting':<{_WIDE}}", total=None)
        self._round = -2
        self._seen: dict[int, int] = {}

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def started(self, windows: int) -> None:
        self._bar.update(self._task, total=windows)

    def window(self, cell: Cell, round_: int) -> None:
        if round_ != self._round and not self._console.is_terminal:
            self._line(f"round {round_ + 1} of {self._rounds}" if round_ >= 0 else "histories")
        self._round = round_
        self._bar.update(self._task, advance=1, description=f"{cell.where:<{_WIDE}}")
        self._bar.refresh()

    def found(self, cell: Cell, finding: Finding) -> None:
        seen = self._seen[id(cell)] = self._seen.get(id(cell), 0) + 1
        where = cell.where
        if seen <= _SHOWN:
            self._line(f"wrong: {where}: {finding.rule}: {finding.text}")
        elif seen == _SHOWN + 1:
            self._line(f"wrong: {where}: more findings are kept for --json")

    def stuck(self, cell: Cell, last: Sample) -> None:
        counts = ", ".join(str(count) for count in last.counts[:_COUNTS])
        more = f", ... ({len(last.counts)} threads)" if len(last.counts) > _COUNTS else ""
        self._line(f"no progress: {cell.where}; reservations per thread: {counts}{more}")

    def _line(self, text: str) -> None:
        self._console.print(f"{self._prog}: {text}", markup=False)
