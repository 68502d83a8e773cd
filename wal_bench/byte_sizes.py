# SPDX-License-Identifier: MIT
"""Sizes as people write them: ``8192`` (bytes), ``8KiB``, ``16MiB``; K, M, G mean the same."""

from __future__ import annotations

import re

from wal_bench.errors import UsageError

_UNITS = {"": 0, "k": 10, "m": 20, "g": 30}


def parse_bytes(what: str, text: str) -> int:
    """Bytes. ``what`` names the option in a UsageError."""
    match = re.fullmatch(r"\s*(\d{1,12})\s*([kmg]?)(?:i?b)?\s*", text.lower(), re.ASCII)
    if match is None:
        raise UsageError(f"{what} {text!r}: a size is written like 8192, 8KiB or 16MiB")
    return int(match[1]) << _UNITS[match[2]]
