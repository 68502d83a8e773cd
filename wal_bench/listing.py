# SPDX-License-Identifier: MIT
"""What there is to choose from: methods, locks, ways to publish, sizes; as text and as JSON
(dwcas.list/1)."""

from __future__ import annotations

from wal_bench import insert, sizes
from wal_bench.engine import Method, methods
from wal_bench.insert import Publisher
from wal_bench.plan import COMPARED


def chosen(everything: bool) -> list[Method]:
    """The rows that are compared by default; with ``everything`` also those made for tests."""
    return [m for m in methods() if everything or m.kind in COMPARED]


def _publishers(everything: bool) -> list[Publisher]:
    return [row for row in insert.publishers() if everything or not row.broken]


def document(everything: bool) -> dict[str, object]:
    """JSON values."""
    rows = chosen(everything)
    locks = sorted({m.lock for m in rows if m.lock})
    return {
        "schema": "dwcas.list/1",
        "methods": [
            {
                "name": m.name,
                "kind": m.kind,
                "summary": m.summary,
                "source": m.source,
                "links": m.links,
                "lock": m.lock,
                "sleeps": m.sleeps,
                "telling": m.telling,
            }
            for m in rows
        ],
        "locks": [
            {"name": lock, "methods": [m.name for m in rows if m.lock == lock]} for lock in locks
        ],
        "publish": [
            {"name": row.name, "summary": row.summary, "source": row.source}
            for row in _publishers(everything)
        ],
        "sizes": [
            {"name": name, "mean_bytes": round(sizes.parse_sizes(name).aligned_mean, 1)}
            for name in sizes.names()
        ],
    }


def text(everything: bool) -> str:
    """For people."""
    rows = chosen(everything)
    wide = max(len(name) for name in (*(m.name for m in rows), *sizes.names()))
    lines = ["methods (* measured by default)"]
    lines += [
        f"{'*' if m.telling else ' '} {m.name:<{wide}}  {m.kind:<9}  {m.summary}" for m in rows
    ]
    lines += ["locks"]
    for lock in sorted({m.lock for m in rows if m.lock}):
        users = ", ".join(m.name for m in rows if m.lock == lock)
        lines.append(f"  {lock:<{wide}}  used by {users}")
    lines += ["ways to publish (`wal-bench insert`)"]
    lines += [f"  {row.name:<{wide}}  {row.summary}" for row in _publishers(everything)]
    lines += ["sizes"]
    for name in sizes.names():
        mean = sizes.parse_sizes(name).aligned_mean
        lines.append(f"  {name:<{wide}}  mean {mean:.0f} bytes, aligned")
    lines.append("  fixed:BYTES, file:PATH (CSV total_length,count)")
    return "\n".join(lines)
