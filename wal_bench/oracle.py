# SPDX-License-Identifier: MIT
"""The independent check of what a method handed out. Written apart from the C code.

Sums. Over all operations of a run that moved the tip from t0 to t1 and the last record's start
from p0 to p1, these telescope (modulo 2^64):
    sum(size)                             = t1 - t0
    sum(start^2) - sum(end^2)             = t0^2 - t1^2
    sum(prev * start) - sum(start * end)  = p0 * t0 - p1 * t1
The last holds because a record's (prev, start) is the (start, end) of the one before. A sum of
start^2 - prev^2 would telescope too, but it only compares the sets of starts and links: links
handed to the wrong records pass it, and a method with tip and prev in two atomics does just that.
The sums are necessary, cheap, and checked on every window; several errors could cancel, hence
histories.

Histories. Sorted by start, intervals must tile [t0, t1) (I1), each prev link must be the start of
the interval before (I2), each length the size asked for (I3), and an operation that returned
before another began must lie before it (I4, linearizability of a fetch-and-add object).

All arguments are bytepos and ns; nothing here raises on a wrong history: it is returned as
findings, each naming the first offender and how many there are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wal_bench.engine import Window
from wal_bench.findings import Finding, first
from wal_bench.insert_oracle import check_insertions, check_result
from wal_bench.insertions import Insertions

_MODULUS = 1 << 64


def check_window(window: Window, links: bool) -> list[Finding]:
    """Everything that can be checked of a window. ``links``: the method returns prev links."""
    found = check_sums(window, links)
    history, inserted = _rows(window, window.history), _rows(window, window.inserted)
    if history is not None:
        found += check_history(
            history,
            start_tip=window.start_tip,
            start_prev=window.start_prev,
            end_tip=window.end_tip,
            end_prev=window.end_prev,
            links=links,
            inserted=inserted,
        )
    plan, result = window.plan.insert, window.insert
    if plan is None or result is None:
        return found
    state: dict[str, int] = {"start_tip": window.start_tip, "end_tip": window.end_tip}
    ended = window.status in ("ok", "empty")
    if history is None or inserted is None:
        return found + check_result(plan, result, **state, ended=ended)
    counts = window.threads["total_ops"]
    return found + check_insertions(
        Insertions(plan, history, inserted, counts, **state, ended=ended), result
    )


def _rows(window: Window, recorded: npt.NDArray[np.void] | None) -> npt.NDArray[np.void] | None:
    """Those of all threads, one after the other."""
    if recorded is None:
        return None
    return np.concatenate([recorded[t, :n] for t, n in enumerate(window.threads["total_ops"])])


def check_sums(window: Window, links: bool) -> list[Finding]:
    """The telescoping sums over all threads of a run, and that window counts fit in it.

    Segment switches take what is left of their segment instead of the size asked for.
    """
    totals = {
        name: sum(int(value) for value in window.threads[name]) % _MODULUS
        for name in ("sum_size", "sum_start_end", "sum_links")
    }
    t0, t1, p0, p1 = window.start_tip, window.end_tip, window.start_prev, window.end_prev
    beyond = window.insert.switch_bytes if window.insert else 0
    expected = [
        ("sum-size", "sum_size", t1 - t0 - beyond),
        ("sum-start-end", "sum_start_end", t0 * t0 - t1 * t1),
    ]
    if links:
        expected.append(("sum-links", "sum_links", p0 * t0 - p1 * t1))
    found = [
        Finding(rule, f"{name} is {totals[name]}, the end state says {value % _MODULUS}")
        for rule, name, value in expected
        if totals[name] != value % _MODULUS
    ]
    short = np.flatnonzero(window.threads["ops"] > window.threads["total_ops"])
    if short.size:
        found.append(Finding("count", f"thread {short[0]} counts more in the window than in all"))
    return found


def check_history(
    history: npt.NDArray[np.void],
    *,
    start_tip: int,
    start_prev: int,
    end_tip: int,
    end_prev: int,
    links: bool,
    inserted: npt.NDArray[np.void] | None = None,
) -> list[Finding]:
    """All intervals of a run, shape (n,), HISTORY_DTYPE, in any order.

    ``inserted``: INSERTION_DTYPE, the same rows, where more than a reservation was done. It was
    done between seen_ns and reserved_ns then, and not by its size if it was a segment switch.
    """
    if not history.size:
        moved = (start_tip, start_prev if links else 0) != (end_tip, end_prev if links else 0)
        text = f"nothing was reserved, yet the tip went from {start_tip} to {end_tip}"
        return [Finding("end-state", text)] if moved else []
    order = np.argsort(history["start"], kind="stable")
    start, end = history["start"][order], history["end"][order]
    size = history["size"][order]
    wrong, begin, finish = end - start != size, history["begin_ns"], history["finish_ns"]
    if inserted is not None:
        wrong &= inserted["switched"][order] == 0
        begin, finish = inserted["seen_ns"], inserted["reserved_ns"]
    found = first("size", wrong, "record at {} ends at {}, asked for {}", start, end, size)
    before = np.concatenate(([np.uint64(start_tip)], end[:-1]))
    found += first(
        "tile", start != before, "record starts at {}, the one before ends at {}", start, before
    )
    if int(end[-1]) != end_tip:
        found.append(Finding("end-state", f"last record ends at {end[-1]}, the tip is {end_tip}"))
    if links:
        prev = history["prev"][order]
        owed = np.concatenate(([np.uint64(start_prev)], start[:-1]))
        found += first(
            "prev",
            prev != owed,
            "record at {} links to {}, the one before is {}",
            start,
            prev,
            owed,
        )
        if int(start[-1]) != end_prev:
            text = f"last record starts at {start[-1]}, the state says {end_prev}"
            found.append(Finding("end-state", text))
    found += _real_time(begin[order], finish[order], start)
    return found


def _real_time(
    begin: npt.NDArray[np.uint64],
    finish: npt.NDArray[np.uint64],
    start: npt.NDArray[np.uint64],
) -> list[Finding]:
    """By position: nobody may have returned before a neighbour on the left began."""
    if begin.size < 2:
        return []
    earliest_after = np.minimum.accumulate(finish[:0:-1])[::-1]  # min of finish[i + 1:]
    return first(
        "real-time",
        earliest_after < begin[:-1],
        "record at {} began at {} ns, after one placed behind it had returned at {} ns",
        start,
        begin,
        earliest_after,
    )
