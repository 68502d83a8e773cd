# SPDX-License-Identifier: MIT
"""The recorded insertions of a run as arrays, and when which position was complete.

Positions are bytepos, times ns. Rows are those of all threads, one thread after the other, each
in its own order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from wal_bench.insert import InsertPlan

Numbers = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Insertions:
    """All insertions of a run; n rows."""

    plan: InsertPlan
    history: npt.NDArray[np.void]  #: HISTORY_DTYPE (n,)
    inserted: npt.NDArray[np.void]  #: INSERTION_DTYPE (n,), of the same insertions
    counts: npt.NDArray[np.uint64]  #: rows of each thread; their sum is n
    start_tip: int
    end_tip: int
    ended: bool  #: every insertion that began came to its end

    @cached_property
    def first_rows(self) -> npt.NDArray[np.intp]:
        """Where each thread's rows begin, and n after them."""
        return np.concatenate(([0], np.cumsum(self.counts))).astype(np.intp)

    @cached_property
    def follows(self) -> npt.NDArray[np.bool_]:
        """Rows that have one of the same thread before them; (n - 1,), for rows 1 and on."""
        same = np.ones(max(self.history.size - 1, 0), bool)
        begins = self.first_rows[1:-1]
        same[begins[(begins > 0) & (begins < self.history.size)] - 1] = False
        return same

    @cached_property
    def in_order(self) -> npt.NDArray[np.intp]:
        """Rows by place in the log."""
        return np.argsort(self.history["start"], kind="stable")

    @cached_property
    def starts(self) -> Numbers:
        """Ascending."""
        return self.history["start"][self.in_order]

    @cached_property
    def ends(self) -> Numbers:
        """Ascending; those of a history that does not tile are raised to that."""
        return np.maximum.accumulate(self.history["end"][self.in_order])

    @cached_property
    def _copied(self) -> Numbers:
        """For each number of records, from 0 on: when the last of the first so many was copied."""
        copied = self.inserted["copied_ns"][self.in_order]
        return np.concatenate(([np.uint64(0)], np.maximum.accumulate(copied)))

    def whole_until(self, positions: Numbers) -> npt.NDArray[np.intp]:
        """How many records end up to each position."""
        return np.searchsorted(self.ends, positions, "right")

    def complete_since(
        self, positions: Numbers, whole: npt.NDArray[np.intp] | None = None
    ) -> Numbers:
        """The earliest moment at which all below each position can have been complete.

        All records that end there were copied, and of one that goes on, a part: it had its place.
        ``whole``: what whole_until says, if that is known.
        """
        if whole is None:
            whole = self.whole_until(positions)
        moment = self._copied[whole]
        if not self.starts.size:
            return moment
        cut = np.minimum(whole, self.starts.size - 1)
        inside = self.starts[cut] < positions
        reserved = self.inserted["reserved_ns"][self.in_order[cut[inside]]]
        moment[inside] = np.maximum(moment[inside], reserved)
        return moment
