# SPDX-License-Identifier: MIT
"""Made-up /proc and /sys trees."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def tree(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root
