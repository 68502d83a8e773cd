# SPDX-License-Identifier: MIT
"""Durations as people write them: ``20`` (seconds), ``1.5s``, ``200ms``, ``500us``, ``2min``."""

from __future__ import annotations

import re
from fractions import Fraction

from wal_bench.errors import UsageError

_UNITS = {"": 10**9, "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9}
_LONGEST = 24 * 3600 * 10**9


def parse_duration(what: str, text: str) -> int:
    """Nanoseconds, at least 1 and at most a day. ``what`` names the option in a UsageError."""
    match = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,15})?)\s*([a-z]*)\s*", text, re.ASCII)
    if match is None or match[2] not in _UNITS:
        raise UsageError(f"{what} {text!r}: a duration is written like 20, 20s, 200ms or 500us")
    ns = int(Fraction(match[1]) * _UNITS[match[2]])
    if not 0 < ns <= _LONGEST:
        raise UsageError(f"{what} {text!r}: a duration is above 0 and at most 24 hours")
    return ns


def format_duration(ns: float) -> str:
    """Three digits and a unit: ``57 s``, ``1.25 s``, ``200 ms``."""
    for unit in ("s", "ms", "us", "ns"):
        value = ns / _UNITS[unit]
        if value >= 1 or unit == "ns":
            break
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
