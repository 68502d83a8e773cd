# SPDX-License-Identifier: MIT
"""A log that was read, as text."""

from __future__ import annotations

import numpy as np

from wal_bench import words
from wal_bench.layout import lsn_text
from wal_bench.wal_format import rmgr_name
from wal_bench.wal_reader import Wal


def text(wal: Wal) -> str:
    """For people: what it is, where it ends and why, records by resource manager."""
    records = wal.records
    segment = f"segments of {wal.layout.segment_size >> 10} KiB"
    lines = [
        f"log      PostgreSQL {wal.version}, system {wal.system_id}, {segment}",
        f"records  {words.count(records.size, 'record')}{_between(wal)}",
        f"end      {lsn_text(wal.end_lsn)}: {'damaged: ' * wal.end.damaged}{wal.end.reason}",
    ]
    if records.size:
        lines.append(f"\n{'rmgr':<18} {'records':>9} {'bytes':>12}")
    counts = np.bincount(records["rmgr"])
    sizes = np.bincount(records["rmgr"], weights=records["length"])
    for rmgr in np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]:
        lines.append(f"{rmgr_name(int(rmgr)):<18} {counts[rmgr]:>9} {sizes[rmgr]:>12.0f}")
    return "\n".join(lines)


def _between(wal: Wal) -> str:
    if not wal.records.size:
        return ""
    first, last = (lsn_text(int(wal.records["start_lsn"][i])) for i in (0, -1))
    return f" from {first} to {last}; prev links and CRCs are right"
