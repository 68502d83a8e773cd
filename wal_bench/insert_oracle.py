# SPDX-License-Identifier: MIT
"""The independent check of whole insertions, beyond what oracle.py says of their reservations.

order    the steps of an insertion follow each other, and the insertions of a thread do
gate     through one gate goes one insertion at a time, and through none while a segment is switched
switch   a segment switch ends where a segment does, is made when it is its turn, and is left out
         only at a segment's beginning (I7)
ring     a page of the ring is taken only when all that lay on it is complete (I8)
flush    who waited for the flush of its record got it; what is flushed was complete and only grows
counts   the totals are those of the rows
end      the watermark has reached the tip, and the log in files ends where it may

watermark_oracle.py has the rules on the watermark, log_oracle.py those on the files.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from wal_bench.findings import Finding, first
from wal_bench.insert import InsertPlan, InsertResult
from wal_bench.insertions import Insertions, Numbers
from wal_bench.layout import LAST_BYTEPOS, LONG_HEADER, SHORT_HEADER, Layout
from wal_bench.watermark_oracle import check_watermark

NO_GATE = (1 << 32) - 1
_HEADER = 24  # bytes of a record's header: all that a switch has


def check_insertions(x: Insertions, result: InsertResult) -> list[Finding]:
    """All rows of a run, and its totals."""
    found = check_result(
        x.plan, result, start_tip=x.start_tip, end_tip=x.end_tip, ended=x.ended
    ) + _counts(x, result)
    if x.history.size:
        for rule in (_order, _gates, _switches, _ring, _flushes, check_watermark):
            found += rule(x)
    return found


def check_result(
    plan: InsertPlan, result: InsertResult, *, start_tip: int, end_tip: int, ended: bool
) -> list[Finding]:
    """The end of a run, with a history or without."""
    found = []
    mark, written, files = result.watermark, result.written, plan.directory is not None
    if not start_tip <= mark <= end_tip or (ended and mark != end_tip):
        text = f"the watermark ended at {mark}, the tip is {end_tip}"
        found.append(Finding("end", text))
    # A file begins with its page, and so may what is written.
    if written > mark or (not files and written > start_tip) or (files and written < mark):
        text = f"written up to {written}, the watermark ended at {mark}"
        found.append(Finding("end", text))
    return found


def _order(x: Insertions) -> list[Finding]:
    h, i = x.history, x.inserted
    steps = [
        ("begun", h["begin_ns"]),
        ("asked", i["asked_ns"]),
        ("seen", i["seen_ns"]),
        ("reserved", i["reserved_ns"]),
        ("copied", i["copied_ns"]),
        ("published", i["published_ns"]),
        ("finished", h["finish_ns"]),
    ]
    found = []
    for (before, early), (after, late) in itertools.pairwise(steps):
        text = f"record at {{}}: {after} at {{}} ns, {before} at {{}} ns"
        found += first("order", late < early, text, h["start"], late, early)
    begin = h["begin_ns"]
    text = "record at {} began at {} ns, the one before of its thread finished at {} ns"
    wrong = x.follows & (begin[1:] < h["finish_ns"][:-1])
    return found + first("order", wrong, text, h["start"][1:], begin[1:], h["finish_ns"][:-1])


def _gates(x: Insertions) -> list[Finding]:
    """Held from before reserved_ns until after published_ns."""
    h, gate, gates = x.history, x.inserted["gate"], x.plan.gates
    wrong = gate != NO_GATE if gates == 0 else gate >= gates
    found = first("gate", wrong, "record at {} went through gate {}", h["start"], gate)
    if gates == 0 or found:
        return found
    reserved, published = x.inserted["reserved_ns"], x.inserted["published_ns"]
    order = np.argsort(reserved, kind="stable")
    order = order[np.argsort(gate[order].astype(np.uint8), kind="stable")]
    until, after = published[order[:-1]], reserved[order[1:]]
    overlap = (gate[order[:-1]] == gate[order[1:]]) & (after < until)
    found = first(
        "gate",
        overlap,
        "record at {} had gate {} at {} ns, one before it until {} ns",
        h["start"][order[1:]],
        gate[order[1:]],
        after,
        until,
    )
    return found + _switches_alone(x)


def _switches_alone(x: Insertions) -> list[Finding]:
    """Nobody else is between reservation and publication while a segment is switched."""
    at = np.flatnonzero(x.inserted["switched"])
    if not at.size:
        return []
    reserved, published = x.inserted["reserved_ns"], x.inserted["published_ns"]
    before = np.searchsorted(np.sort(published, kind="stable"), reserved[at], "right")
    begun = np.searchsorted(np.sort(reserved, kind="stable"), published[at], "left")
    # Its own row counts as begun only; on a coarse clock it may count as ended only.
    own = np.where(reserved[at] < published[at], 1, -1)
    text = "during the switch at {}, from {} to {} ns, another insertion was on its way"
    rows = (x.history["start"][at], reserved[at], published[at])
    return first("gate", begun - before != own, text, *rows)


def _switches(x: Insertions) -> list[Finding]:
    usable = x.plan.layout.usable_in_segment
    switched = x.inserted["switched"] != 0
    row = np.arange(x.history.size)
    due = np.zeros(row.size, bool)
    if x.plan.switch_every:
        due = (row < x.counts[0]) & ((row + 1) % x.plan.switch_every == 0)
    start, end = x.history["start"][switched], x.history["end"][switched]
    at_boundary = start % np.uint64(usable) == 0
    # Its header may be the first to cross into a segment, which ends with it then.
    owed = (start + np.uint64(_HEADER - 1)) // np.uint64(usable) * np.uint64(usable)
    owed += np.uint64(usable)
    h = x.history["start"]
    return [
        *first("switch", switched & ~due, "record at {} is a switch out of turn", h),
        *first("switch", at_boundary, "switch at {}, where a segment begins", start),
        *first("switch", end != owed, "switch at {} ends at {} instead of {}", start, end, owed),
        *_left_out(x, np.flatnonzero(due & ~switched), usable),
    ]


def _left_out(x: Insertions, rows: npt.NDArray[np.intp], usable: int) -> list[Finding]:
    """Turns without a switch: the log's end was at a segment's beginning at some moment then.

    So a record starts there, and it was not reserved before this insertion began: others may have
    come in between, as the gates were left open again.
    """
    start, begin = x.history["start"][rows], x.history["begin_ns"][rows]
    boundary = start - start % np.uint64(usable)
    number = np.minimum(np.searchsorted(x.starts, boundary), x.starts.size - 1)
    there = x.starts[number] == boundary
    late = x.inserted["reserved_ns"][x.in_order[number]] >= begin
    text = "record at {} was to be a switch, and the log did not end at a segment's beginning"
    return first("switch", ~(there & late), text, start)


def _ring(x: Insertions) -> list[Finding]:
    """The page of a record's last byte was another one's, a ring before."""
    if not x.plan.copy:
        return []
    layout, pages = x.plan.layout, np.uint64(x.plan.ring_pages)
    page_size = np.uint64(layout.page_size)
    last_byte = np.minimum(x.history["end"][x.in_order], LAST_BYTEPOS) - np.uint64(1)
    page = _pages(last_byte, layout)
    copied = x.inserted["copied_ns"][x.in_order]
    # Of those that end on a page the earliest tells most.
    run = np.flatnonzero(np.append(True, page[1:] != page[:-1]))
    page, earliest = page[run], np.minimum.reduceat(copied, run)
    page, earliest = page[page >= pages], earliest[page >= pages]
    since = x.complete_since(layout.bytepos((page - pages + np.uint64(1)) * page_size))
    return first(
        "ring",
        since > earliest,
        "page {} was written at {} ns, what lay in its place was complete at {} ns",
        page,
        earliest,
        since,
    )


def _pages(bytepos: Numbers, layout: Layout) -> Numbers:
    """On which page of the log each byte lies. Layout's LSN say so too, but take longer."""
    usable = np.uint64(layout.usable_in_segment)
    segment = bytepos // usable
    rest = bytepos - segment * usable + np.uint64(LONG_HEADER - SHORT_HEADER)
    in_segment = np.uint64(layout.segment_size // layout.page_size)
    return segment * in_segment + rest // np.uint64(layout.page_size - SHORT_HEADER)


def _flushes(x: Insertions) -> list[Finding]:
    row = np.arange(x.history.size) - np.repeat(x.first_rows[:-1], x.counts.astype(np.intp))
    every = x.plan.commit_every if x.plan.directory else 0
    due = (row + 1) % every == 0 if every else np.zeros(row.size, bool)
    asked = x.inserted["flushed"] != 0
    h = x.history["start"]
    found = first("flush", asked & ~due, "record at {} was flushed out of turn", h)
    found += first("flush", due & ~asked, "record at {} was to be flushed", h)
    flushed, end = x.inserted["flushed"][asked], x.history["end"][asked]
    finish = x.history["finish_ns"][asked]
    since = x.complete_since(flushed)
    order = np.argsort(finish, kind="stable")
    highest = np.concatenate(([np.uint64(0)], np.maximum.accumulate(flushed[order])))
    published = x.inserted["published_ns"][asked]
    before = highest[np.searchsorted(finish[order], published)]
    return [
        *found,
        *first("flush", flushed < end, "flushed up to {}, the record ends at {}", flushed, end),
        *first(
            "flush",
            since > finish,
            "flushed up to {} by {} ns, not all below was complete before {} ns",
            flushed,
            finish,
            since,
        ),
        *first(
            "flush",
            before > flushed,
            "flushed up to {} at {} ns, {} was known before the record was published",
            flushed,
            finish,
            before,
        ),
    ]


def _counts(x: Insertions, result: InsertResult) -> list[Finding]:
    switched = x.inserted["switched"] != 0
    asked_more = x.history[switched]
    beyond = asked_more["end"] - asked_more["start"] - asked_more["size"]
    flushed = x.inserted["flushed"]
    highest = int(flushed.max()) if flushed.size else 0
    rows = [
        ("switches", result.switches, int(switched.sum())),
        ("switch_bytes", result.switch_bytes, sum(beyond.tolist()) % (1 << 64)),
        ("commits", result.commits, int(np.count_nonzero(flushed))),
    ]
    found = [
        Finding("counts", f"{name} is {told}, the rows have {counted}")
        for name, told, counted in rows
        if x.ended and told != counted
    ]
    if highest > result.written:
        text = f"flushed up to {highest} was said, written is {result.written}"
        found.append(Finding("flush", text))
    return found
