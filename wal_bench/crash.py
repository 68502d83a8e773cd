# SPDX-License-Identifier: MIT
"""Kill a process while its threads insert, and see what its log is worth.

The killed process records its history in memory that this one has, too: which insertions had
returned, and what each of them had been told is flushed. An independent reader (wal_reader)
recovers the longest valid prefix of the segment files. Of that prefix must hold:

lost          every commit that was acknowledged lies in it
wrong-record  every record in it is one that was inserted, with its place, length and thread; one
              more per thread may be there, which was on its way
missing       every insertion that had returned and began before its end lies in it

A process's death leaves the page cache alone, so what an fdatasync is worth is not tested, only
that nothing is acknowledged that was not handed to the system.

What was reserved behind the recovered end is the hole that the dead process left: it is reported,
nobody waits for it. Positions are bytepos.
"""

from __future__ import annotations

import mmap
import os
import signal
import time
from dataclasses import dataclass

import numpy as np

from wal_bench.dtypes import HISTORY_DTYPE, INSERTION_DTYPE
from wal_bench.engine import Records, WindowPlan, run_window
from wal_bench.errors import EnvironmentUnfit, UsageError
from wal_bench.findings import Finding
from wal_bench.interrupts import ASKING
from wal_bench.wal_reader import READ_DTYPE, Wal, read_wal

_SWITCH_LENGTH = 24
_FAILED = 1  # a child's exit status


@dataclass(frozen=True)
class Crash:
    """What became of one log."""

    killed: bool  #: False: the run had ended before
    returned: int  #: insertions that had returned
    in_flight: int  #: of threads that had asked for a place, or had one
    acknowledged: int  #: bytepos up to which somebody was told it is flushed; 0: nobody was
    recovered: int  #: where the valid log ends; where it began if nothing was written
    records: int  #: that were recovered
    hole: int  #: bytes between there and the highest place known to be reserved
    reason: str  #: why the log ends there
    findings: tuple[Finding, ...]


def crash(plan: WindowPlan, after_s: float | None) -> Crash:
    """Run the plan in a process of its own and kill that after so many seconds from its first
    insertion, or leave it to the plan's disturbance (None); then read and judge its log.

    The plan must have a history, and an insertion with a directory. Raises UsageError if not,
    EnvironmentUnfit where the process cannot write its log.
    """
    insert = plan.insert
    if not plan.history or insert is None or insert.directory is None:
        raise UsageError("crash: a plan with a history and a directory for its log is needed")
    records, why = _shared(plan), mmap.mmap(-1, mmap.PAGESIZE)
    child = os.fork()
    if child == 0:
        _child(plan, records, why)
    try:
        if after_s is not None:
            _wait_for_first(records, child)
            time.sleep(after_s)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    except BaseException:  # Ctrl-C: nothing goes on writing where the caller cleans up
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise EnvironmentUnfit(
            why[:].rstrip(b"\0").decode() or "crash: the process failed by itself"
        )
    return judge(plan, records, _read(plan), os.WIFSIGNALED(status))


def _shared(plan: WindowPlan) -> Records:
    shape = (len(plan.cpus), plan.history)
    arrays = [
        np.frombuffer(mmap.mmap(-1, shape[0] * shape[1] * dtype.itemsize), dtype).reshape(shape)
        for dtype in (HISTORY_DTYPE, INSERTION_DTYPE)
    ]
    return Records(*arrays)


def _child(plan: WindowPlan, records: Records, why: mmap.mmap) -> None:
    status = _FAILED
    try:
        for number in ASKING:
            signal.signal(number, signal.SIG_IGN)  # the parent ends it
        run_window(plan, records)
        status = 0
    except EnvironmentUnfit as error:
        why.write(str(error).encode()[: mmap.PAGESIZE])
    finally:
        os._exit(status)  # nothing of the parent's is to be flushed or run twice


def _wait_for_first(records: Records, child: int) -> None:
    while not records.inserted["asked_ns"][:, 0].any():
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return
        time.sleep(0.001)


def _read(plan: WindowPlan) -> Wal | None:
    assert plan.insert is not None
    assert plan.insert.directory is not None
    files = sorted(plan.insert.directory.iterdir())
    try:
        return read_wal(files) if files else None
    except UsageError:  # the first page was not written yet
        return None


def judge(plan: WindowPlan, records: Records, wal: Wal | None, killed: bool) -> Crash:
    """Compare what was recovered (None: nothing) with what the process knew when it died."""
    rows = _returned(records)
    history = records.history[rows]
    thread = np.nonzero(rows)[0]
    acknowledged = int(records.inserted["flushed"].max(initial=0))
    log = np.empty(0, READ_DTYPE) if wal is None else wal.records
    recovered = plan.start_tip if not log.size else int(log["end"][-1])
    findings = []
    if acknowledged > recovered:
        text = f"{acknowledged} was acknowledged, the log can be read up to {recovered}"
        findings.append(Finding("lost", text))
    if wal is not None:
        findings += _records(wal, history, thread, records.inserted["switched"][rows] != 0)
    highest = int(history["end"].max(initial=plan.start_tip))
    return Crash(
        killed=killed,
        returned=int(rows.sum()),
        in_flight=int((records.inserted["asked_ns"] != 0).sum() - rows.sum()),
        acknowledged=acknowledged,
        recovered=recovered,
        records=log.size,
        hole=max(0, highest - recovered),
        reason="nothing is written" if wal is None else wal.end.reason,
        findings=tuple(findings),
    )


def _returned(records: Records) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Rows whose every field is there: death may come between two of them. None may be 0."""
    names = HISTORY_DTYPE.names or ()
    found: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = np.logical_and.reduce(
        [records.history[name] != 0 for name in names]
    )
    return found


def _records(
    wal: Wal,
    history: np.ndarray[tuple[int], np.dtype[np.void]],
    thread: np.ndarray[tuple[int], np.dtype[np.intp]],
    switched: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> list[Finding]:
    """``history`` has the insertions that returned, ``thread`` who made each."""
    log = wal.records
    known = np.isin(log["start"], history["start"])
    order = np.argsort(history["start"])
    at = order[np.searchsorted(history["start"], log["start"][known], sorter=order)]
    length = np.where(switched[at], _SWITCH_LENGTH, history["size"][at])
    same = (
        (log["end"][known] == history["end"][at])
        & (log["prev_lsn"][known] == wal.layout.start_lsn(history["prev"][at]))
        & (log["length"][known] == length)
        & (log["xid"][known] == thread[at] + 1)
    )
    findings = []
    if not same.all():
        start = log["start"][known][~same][0]
        text = f"record at {start} is not the one that was inserted there"
        findings.append(Finding("wrong-record", text))
    unknown, times = np.unique(log["xid"][~known], return_counts=True)
    if (times > 1).any():
        text = f"{times.max()} records of thread {unknown[times.argmax()] - 1} never returned"
        findings.append(Finding("wrong-record", text))
    end = int(log["end"][-1]) if log.size else 0
    missing = np.setdiff1d(history["start"][history["start"] < end], log["start"])
    if missing.size:
        text = f"record at {missing[0]} is not in the log ({missing.size} in all)"
        findings.append(Finding("missing", text))
    return findings
