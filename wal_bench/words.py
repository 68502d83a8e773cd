# SPDX-License-Identifier: MIT
"""Small pieces of text that several outputs share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def count(number: int, noun: str) -> str:
    """``1 thread``, ``2 threads``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """``a``, ``a and b``, ``a, b and c``; of more than ``most`` the first: ``a and 7 more``."""
    if most is not None and len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def ranges(numbers: Iterable[int]) -> str:
    """``0-3,8`` as the kernel and taskset write CPUs; ``none``."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][-1] == number - 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    return ",".join("-".join(map(str, run)) for run in runs) or "none"
