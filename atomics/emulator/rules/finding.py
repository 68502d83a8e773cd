# SPDX-License-Identifier: MIT
"""What a rule finds, and what it may look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from atomics.emulator.calls import Binding
from atomics.emulator.image import Image
from atomics.emulator.paths import Path

ERROR = "error"  #: the sequence is wrong: the verdict says so
WARNING = "warning"  #: it works in the model, and some CPU may make it slow or never end

ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst", "full")


@dataclass(frozen=True)
class Finding:
    """One rule broken at one address; ``reason`` is one line."""

    rule: str
    severity: str
    address: int
    place: str  #: symbol+offset
    reason: str
    line: str | None = None  #: file:line, where that is known

    @property
    def where(self) -> str:
        """``cas+20 (cas.S:12)``"""
        return f"{self.place} ({self.line})" if self.line else self.place

    def __str__(self) -> str:
        return f"{self.severity} {self.rule} at {self.where}: {self.reason}"


@dataclass(frozen=True)
class Subject:
    """The sequence, how it is called, every path through it, and the order that it should have
    (None: none is claimed)."""

    image: Image
    binding: Binding
    paths: tuple[Path, ...]
    order: str | None
    loads: bool  #: the operation only reads
    stores: bool  #: the operation returns nothing of what it read
    size: int  #: bytes that it works on: 8 of a half, else 16

    def finding(self, rule: str, severity: str, address: int, reason: str) -> Finding:
        place, line = self.image.symbol_at(address), self.image.line(address)
        return Finding(rule, severity, address, place, reason, line)


Rule = Callable[[Subject], Iterator[Finding]]
