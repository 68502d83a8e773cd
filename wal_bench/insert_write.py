# SPDX-License-Identifier: MIT
"""Writes a log that stays: every insertion is recorded, the files are read back and compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wal_bench import engine, wal_reader, wal_report, words
from wal_bench.engine import Window, WindowPlan
from wal_bench.errors import EnvironmentUnfit, UsageError
from wal_bench.findings import Finding
from wal_bench.layout import lsn_text
from wal_bench.oracle import check_window
from wal_bench.wal_reader import Wal


@dataclass(frozen=True)
class Written:
    """A log on disk, as inserted and as read."""

    window: Window
    paths: tuple[Path, ...]  #: its segment files, in order
    wal: Wal
    findings: tuple[Finding, ...]  #: of the oracle, and where the two differ


def empty_directory(path: Path) -> None:
    """Make it, or see that it is empty. Raises UsageError."""
    try:
        path.mkdir(exist_ok=True)
        filled = any(path.iterdir())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    if filled:
        raise UsageError(f"{path}: not empty; an empty or a new directory is needed")


def write(plan: WindowPlan) -> Written:
    """Run a plan with a history and a directory, and read its files back.

    Raises what run_window and read_wal raise, EnvironmentUnfit if it was not done in time.
    """
    assert plan.insert is not None
    assert plan.insert.directory is not None
    window = engine.run_window(plan)
    done = int(window.threads["total_ops"].sum())
    if window.status != "ok" or done < plan.history * len(plan.cpus):
        raise EnvironmentUnfit(
            f"{words.count(done, 'record')} inserted in {plan.window_ns / 1e9:.0f} s "
            f"({window.status}); ask for fewer --records"
        )
    paths = tuple(sorted(plan.insert.directory.iterdir()))
    wal = wal_reader.read_wal(paths)
    findings = [*check_window(window, links=True), *differences(window, wal)]
    return Written(window, paths, wal, tuple(findings))


def differences(window: Window, wal: Wal) -> list[Finding]:
    """Where what was read is not what was inserted: number, positions, prev links, end."""
    assert window.history is not None
    inserted = np.sort(window.history.reshape(-1), order="start")
    read, layout = wal.records, wal.layout
    if read.size != inserted.size or wal.end.damaged:
        text = f"{inserted.size} records inserted, {read.size} read; then {wal.end.reason}"
        return [Finding("read-back", text)]
    links = layout.start_lsn(inserted["prev"])
    for name, here, there in (
        ("start", inserted["start"], read["start"]),
        ("end", inserted["end"], read["end"]),
        ("prev link", links, read["prev_lsn"]),
    ):
        wrong = np.flatnonzero(here != there)
        if wrong.size:
            at = wrong[0]
            where = lsn_text(int(read["start_lsn"][at]))
            text = f"record {where}: {name} {there[at]} in the files, {here[at]} as inserted"
            return [Finding("read-back", text)]
    return []


def text(written: Written) -> str:
    """For people: the log, the judgement, and what reads it too."""
    first, last = written.paths[0], written.paths[-1]
    judged = [f"WRONG: {f.rule}: {f.text}" for f in written.findings]
    lines: Sequence[str] = [
        wal_report.text(written.wal),
        "",
        *(judged or [f"right: {written.wal.records.size} records read back as they were inserted"]),
        f"next: pg_waldump --path {first.parent} --stats {first.name} {last.name}",
    ]
    return "\n".join(lines)
