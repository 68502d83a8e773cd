# SPDX-License-Identifier: MIT
"""What CPU this is, as the kernel names it. What it does not say is None."""

from __future__ import annotations

from pathlib import Path

_ROOT = Path("/")


def text_of(path: Path) -> str | None:
    """The stripped text of a file of /proc or /sys, None where there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None


def cpu_model(root: Path = _ROOT) -> str | None:
    """Model name as the kernel gives it; on arm64, where it gives none, implementer and part."""
    fields: dict[str, str] = {}
    for line in (text_of(root / "proc/cpuinfo") or "").splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    if name := fields.get("model name"):
        return name
    if "CPU part" in fields:
        return f"implementer {fields.get('CPU implementer', '?')} part {fields['CPU part']}"
    return None
