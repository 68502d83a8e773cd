# SPDX-License-Identifier: MIT
"""What threads were told of the watermark, against what was complete then (I5).

Each insertion begins with a question for the watermark: asked at asked_ns, answered `seen` by
seen_ns. Four rules.

watermark-range     it lies in the log, at the end of a record or where a page begins: a record is
                    published as a whole, or up to the page that it waits for
watermark-early     nothing below it was incomplete. Just before a record's last part is published
                    it is stamped copied_ns, so who saw it published has a later seen_ns
watermark-back      an answer that was there before another question was asked is not larger
watermark-late      with nobody else at work, it is the end of the log

The last is all that may be demanded of every way to publish. A watermark may lag behind what is
complete: a thread that is about to reserve holds a low bound of its place (inserting-at), and who
moves the watermark along may be interrupted in that (ring). But both are at work then. That a
store is seen by others takes time, too, which the stamps do not show: hence SETTLED_NS.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from wal_bench.findings import Finding, first
from wal_bench.insertions import Insertions, Numbers

SETTLED_NS = 1_000_000  #: after that a store is visible to every CPU


def check_watermark(x: Insertions) -> list[Finding]:
    """All answers of a run."""
    seen, told = x.inserted["seen"], x.inserted["seen_ns"]
    whole = x.whole_until(seen)
    since = x.complete_since(seen, whole)
    return [
        *_range(x, seen, whole),
        *first(
            "watermark-early",
            since > told,
            "watermark {} was seen at {} ns, not all below was complete before {} ns",
            seen,
            told,
            since,
        ),
        *_back(x),
        *(_late(x) if x.ended else []),
    ]


def _range(x: Insertions, seen: Numbers, whole: npt.NDArray[np.intp]) -> list[Finding]:
    outside = (seen < x.start_tip) | (seen > x.end_tip)
    found = first("watermark-range", outside, "watermark {} is outside of the log", seen)
    # Most are ends, which needs no layout: its divisions take long.
    ends = np.concatenate(([np.uint64(x.start_tip)], x.ends))
    others = np.unique(seen[~outside & (ends[whole] != seen)])
    others = others[others <= 1 << 62]
    layout = x.plan.layout
    page_begins = layout.end_lsn(others) % np.uint64(layout.page_size) == 0
    cut = others[~page_begins] if x.plan.copy else others
    return found + first(
        "watermark-range", np.ones(cut.size, bool), "watermark {} cuts a record", cut
    )


def _back(x: Insertions) -> list[Finding]:
    asked, told, seen = (x.inserted[name] for name in ("asked_ns", "seen_ns", "seen"))
    order = np.argsort(told, kind="stable")
    highest = np.concatenate(([np.uint64(0)], np.maximum.accumulate(seen[order])))
    before = highest[np.searchsorted(told[order], asked)]
    # Stamps of one thread may be equal, and are still in order.
    own = np.concatenate(([np.uint64(0)], np.where(x.follows, seen[:-1], np.uint64(0))))
    before = np.maximum(before, own)
    return first(
        "watermark-back",
        before > seen,
        "watermark {} was asked for at {} ns, when the answer {} had been given",
        seen,
        asked,
        before,
    )


def _late(x: Insertions) -> list[Finding]:
    """At work is a thread from its question to the end of its insertion."""
    order = np.argsort(x.inserted["asked_ns"], kind="stable")
    asked, finish = x.inserted["asked_ns"][order], x.history["finish_ns"][order]
    finished = np.concatenate(([np.uint64(0)], np.maximum.accumulate(finish)))[:-1] <= asked
    next_asked = np.append(asked[1:], ~np.uint64(0))
    quiet = np.flatnonzero(finished & (next_asked > x.inserted["seen_ns"][order]))
    quiet = quiet[_settled(x, order, quiet)]
    ends = np.concatenate(([np.uint64(x.start_tip)], x.history["end"][order]))
    tip = np.maximum.accumulate(ends)[quiet]
    row = order[quiet]
    seen, told = x.inserted["seen"][row], x.inserted["seen_ns"][row]
    return first(
        "watermark-late",
        seen < tip,
        "watermark {} was seen at {} ns, when {} was complete and nobody at work",
        seen,
        told,
        tip,
    )


def _settled(
    x: Insertions, order: npt.NDArray[np.intp], quiet: npt.NDArray[np.intp]
) -> npt.NDArray[np.bool_]:
    """Whether all but the asking thread finished long before, of those before whom all finished."""
    if not quiet.size:
        return np.zeros(0, bool)
    finish, row = x.history["finish_ns"], order[quiet]
    until = np.maximum(x.inserted["asked_ns"][row], np.uint64(SETTLED_NS)) - np.uint64(SETTLED_NS)
    recent = quiet - np.searchsorted(np.sort(finish, kind="stable"), until)
    for begin, end in itertools.pairwise(x.first_rows):
        own = np.flatnonzero((row >= begin) & (row < end))
        if own.size:
            recent[own] -= row[own] - begin - np.searchsorted(finish[begin:end], until[own])
    settled: npt.NDArray[np.bool_] = recent == 0
    return settled
