# SPDX-License-Identifier: MIT
"""Ranges of addresses with names, looked up in logarithmic time: a library has 60,000 symbols, and
every access to memory is named."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Span(NamedTuple):
    start: int
    end: int
    label: str


class Spans:
    """Spans that do not overlap; of those that do, the later start hides the earlier."""

    __slots__ = ("_spans", "_starts")

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._spans = sorted(spans)
        self._starts = [one.start for one in self._spans]

    def find(self, address: int, size: int = 1) -> Span | None:
        """The last span that some of these bytes are in."""
        index = bisect_left(self._starts, address + size) - 1
        found = self._spans[index] if index >= 0 else None
        return found if found is not None and address < found.end else None

    def get(self, address: int, size: int = 1) -> str | None:
        """The label of the span that some of these bytes are in."""
        found = self.find(address, size)
        return None if found is None else found.label

    def place(self, address: int, size: int = 1) -> str | None:
        """``label+offset`` of an address."""
        found = self.find(address, size)
        if found is None:
            return None
        return found.label if found.start == address else f"{found.label}{address - found.start:+d}"


def between(marks: Iterable[tuple[int, str]], end: int) -> Sequence[Span]:
    """A span from each mark to the next, and from the last one to the end."""
    ordered = sorted(marks)
    ends = [start for start, _ in ordered[1:]] + [end]  # one end without a mark, if there are none
    return [Span(start, to, label) for (start, label), to in zip(ordered, ends, strict=False)]
