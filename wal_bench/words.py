# SPDX-License-Identifier: MIT
"""Small pieces of text that several outputs share."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, noun: str) -> str:
    """``1 thread``, ``2 threads``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
