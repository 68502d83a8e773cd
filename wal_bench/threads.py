# SPDX-License-Identifier: MIT
"""Thread counts as people write them: ``1,2,8``, ``16``, ``1..8xcpus`` (doubling), ``2xcpus``."""

from __future__ import annotations

import re

from wal_bench.engine import MAX_THREADS
from wal_bench.errors import UsageError

_COUNT = r"(-?\d{1,30})(xcpus)?|(cpus)"


def _count(item: str, text: str, cpus: int) -> int:
    match = re.fullmatch(_COUNT, item, re.ASCII)
    if match is None:
        raise UsageError(
            f"threads {text!r}: {item!r} is no thread count; write 1,2,8 or 1..16 or 1..8xcpus"
        )
    count = cpus if match[3] else int(match[1]) * (cpus if match[2] else 1)
    if not 1 <= count <= MAX_THREADS:
        raise UsageError(
            f"threads {text!r}: {count} is out of range; 1 to {MAX_THREADS} can be run"
        )
    return count


def _doubling(first: int, last: int) -> list[int]:
    counts = []
    while first < last:
        counts.append(first)
        first *= 2
    return [*counts, last]


def parse_threads(text: str, cpus: int) -> tuple[int, ...]:
    """Ascending thread counts, each once. ``A..B`` doubles from A and ends with B itself.

    Raises UsageError for anything that is not a count from 1 to engine.MAX_THREADS.
    """
    counts: set[int] = set()
    for item in (part.strip().lower() for part in text.split(",")):
        ends = [_count(end.strip(), text, cpus) for end in item.split("..", 1)]
        if ends[0] > ends[-1]:
            raise UsageError(f"threads {text!r}: {item} runs backwards")
        counts.update(_doubling(ends[0], ends[-1]))
    return tuple(sorted(counts))
