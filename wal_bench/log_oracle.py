# SPDX-License-Identifier: MIT
"""The log as read back from its files, against the history of the insertions that wrote it.

Records are compared by place, link, length, thread and kind; that their bytes are whole, the
reader has seen by their CRC. A page of the ring that was reused too early, a byte copied to the
wrong place or a part never written shows here (I6, I8, I9).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wal_bench.findings import Finding, first
from wal_bench.insertions import Insertions
from wal_bench.wal_format import SWITCH
from wal_bench.wal_reader import Wal, read_wal

RECORD = (0, 0x20)  #: rmgr and info of all but switches: XLOG/NOOP
_SWITCH_LENGTH = 24


def read_directory(directory: Path) -> Wal:
    """The log in a directory's segment files, which have nothing else beside them.

    Raises UsageError as read_wal does.
    """
    return read_wal(sorted(directory.iterdir()))


def check_log(wal: Wal, x: Insertions, *, written: int, start_prev: int) -> list[Finding]:
    """``written``: where the log in the files ends. Older segments may have been reused."""
    found = []
    for name, read, owed in (
        ("layout", wal.layout, x.plan.layout),
        ("system", wal.system_id, x.plan.system_id),
    ):
        if read != owed:
            found.append(Finding("log-format", f"{name} {read}, written was {owed}"))
    if found:
        return found
    if wal.end.damaged:
        found.append(Finding("log-damaged", wal.end.reason))
    since = _first_record(wal, x)
    until = int(np.searchsorted(x.history["end"][x.in_order], np.uint64(written), "right"))
    until = max(until, since)
    if wal.records.size != until - since:
        text = f"{wal.records.size} records can be read, {until - since} were written"
        found.append(Finding("log-records", f"{text}; the log ends: {wal.end.reason}"))
    return found + _records(wal, x, since, start_prev)


def _first_record(wal: Wal, x: Insertions) -> int:
    """The number of the first record that begins in the files."""
    if not wal.records.size or not x.plan.keep_segments:
        return 0
    return int(np.searchsorted(x.starts, wal.records["start"][0]))


def _records(wal: Wal, x: Insertions, since: int, start_prev: int) -> list[Finding]:
    rows = x.in_order[since:][: wal.records.size]
    read, history, layout = wal.records[: rows.size], x.history[rows], x.plan.layout
    switched = x.inserted["switched"][rows] != 0
    thread = np.repeat(np.arange(x.counts.size), x.counts.astype(np.intp))[rows]
    columns = [
        ("start", read["start"], history["start"]),
        ("end", read["end"], history["end"]),
        ("start_lsn", read["start_lsn"], layout.start_lsn(history["start"])),
        ("end_lsn", read["end_lsn"], layout.end_lsn(history["end"])),
        ("length", read["length"], np.where(switched, _SWITCH_LENGTH, history["size"])),
        ("xid", read["xid"], thread + 1),
        ("rmgr", read["rmgr"], np.where(switched, SWITCH[0], RECORD[0])),
        ("info", read["info"], np.where(switched, SWITCH[1], RECORD[1])),
    ]
    found = []
    for name, seen, owed in columns:
        text = f"record {{}} at {{}} has {name} {{}}, in the history it is {{}}"
        number = np.arange(rows.size) + since
        found += first("log-" + name, seen != owed, text, number, history["start"], seen, owed)
    before = np.uint64(start_prev) if since == 0 else x.starts[since - 1]
    prev = np.concatenate(([before], history["start"][:-1]))[: rows.size]
    wrong = read["prev_lsn"] != layout.start_lsn(prev)
    text = "record at {} links to LSN {:#x}, the record before starts at {}"
    return found + first("log-prev", wrong, text, history["start"], read["prev_lsn"], prev)
