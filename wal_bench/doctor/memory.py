# SPDX-License-Identifier: MIT
"""Memory."""

from __future__ import annotations

import re

from wal_bench import cgroup
from wal_bench.doctor.check import Seen, check, unreadable
from wal_bench.doctor.host import Host

_LITTLE = 512 << 20  #: histories of --check take 48 bytes per operation


@check()
def memory(host: Host) -> Seen:
    """What is free, for this process."""
    match = re.search(r"^MemAvailable:\s*(\d+) kB", host.text("proc/meminfo") or "", re.M)
    free = int(match[1]) << 10 if match else None
    left = cgroup.memory_left(host.root)
    values = {"available_bytes": free, "group_bytes": left}
    known = [size for size in (free, left) if size is not None]
    if not known:
        return unreadable("proc/meminfo", "")
    least = min(known)
    found = f"{least / (1 << 30):.3g} GiB free"
    if left is not None and left == least:
        found += " below the limit of the control group"
    if least >= _LITTLE:
        return Seen("ok", found, "", None, values)
    means = "histories (--check) and logs may not fit, and reclaim takes CPU time"
    return Seen("warn", found, means, "free some, or raise memory.max", values)


@check()
def huge_pages(host: Host) -> Seen:
    """Transparent ones: they reach the log's ring (4 MiB), not the words that threads fight for."""
    match = re.search(r"\[(\w+)\]", host.text("sys/kernel/mm/transparent_hugepage/enabled") or "")
    if match is None:
        return unreadable("transparent huge pages", "")
    values = {"transparent": match[1]}
    if match[1] != "always":
        return Seen("ok", match[1], "memory lies on small pages, in every run", None, values)
    means = "the ring of `wal-bench insert` lies on huge pages in some runs and not in others"
    return Seen("note", "always", means, "compare within a run only", values)
