# SPDX-License-Identifier: MIT
"""What a person sees on stderr while a run goes on. No threads: they would disturb it."""

from __future__ import annotations

import io
import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from wal_bench import words
from wal_bench.oracle import Finding
from wal_bench.run import Cell, Observer
from wal_bench.samples import Sample

_SHOWN = 3  #: findings per cell on stderr; all are in the JSON
_COUNTS = 16  #: per-thread counts on a line


_WIDE = 34  #: columns for what is being measured, so that the bar stands still


def _where(cell: Cell) -> str:
    return f"{cell.method.name} with {words.count(cell.threads, 'thread')}"


class Bar(Observer):
    """A progress bar where stderr is a terminal, a line per round where it is not."""

    def __init__(self, prog: str, rounds: int) -> None:
        self._prog, self._rounds = prog, rounds
        self._console = Console(file=sys.stderr or io.StringIO(), highlight=False, soft_wrap=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            auto_refresh=False,
            transient=True,
            disable=not self._console.is_terminal,
        )
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
        self._bar.update(self._task, advance=1, description=f"{_where(cell):<{_WIDE}}")
        self._bar.refresh()

    def found(self, cell: Cell, finding: Finding) -> None:
        seen = self._seen[id(cell)] = self._seen.get(id(cell), 0) + 1
        where = _where(cell)
        if seen <= _SHOWN:
            self._line(f"wrong: {where}: {finding.rule}: {finding.text}")
        elif seen == _SHOWN + 1:
            self._line(f"wrong: {where}: more findings are kept for --json")

    def stuck(self, cell: Cell, last: Sample) -> None:
        counts = ", ".join(str(count) for count in last.counts[:_COUNTS])
        more = f", ... ({len(last.counts)} threads)" if len(last.counts) > _COUNTS else ""
        self._line(f"no progress: {_where(cell)}; reservations per thread: {counts}{more}")

    def _line(self, text: str) -> None:
        self._console.print(f"{self._prog}: {text}", markup=False)
