# SPDX-License-Identifier: MIT
"""A control group of the running kernel, for tests; skipped where none can be made."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

MOUNT = Path("/sys/fs/cgroup")


def _parent(controller: str) -> tuple[int, Path]:
    """Version, and the group that this process is in."""
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    own = {names: path for _, names, path in (line.split(":", 2) for line in lines)}
    for names, path in own.items():
        if controller in names.split(","):
            return 1, MOUNT / controller / path.lstrip("/")
    return 2, MOUNT / own[""].lstrip("/")


@contextmanager
def group(controller: str, files: Mapping[int, Mapping[str, str]]) -> Iterator[tuple[str, ...]]:
    """A group inside one with these files (by version), and the words that start a command in it.

    The limits are those of the outer group: that its child is held to them must be found out.
    """
    version, parent = 0, MOUNT
    made: list[Path] = []
    try:
        try:
            version, parent = _parent(controller)
            for folder in (parent / f"dwcas-test-{os.getpid()}", Path("inner")):
                made.append(made[-1] / folder if made else folder)
                made[-1].mkdir()
                if version == 1 and controller == "cpuset":
                    for name in ("cpuset.cpus", "cpuset.mems"):
                        (made[-1] / name).write_text((parent / name).read_text())
            # Version 1 has the file in each group, and a parent may not have less than its child.
            each = made[::-1] if version == 1 and controller == "cpuset" else made[:1]
            for folder in each:
                for name, text in files[version].items():
                    (folder / name).write_text(text)
        except (OSError, KeyError) as refused:
            pytest.skip(f"no {controller} group can be made here: {refused}")
        procs = made[-1] / "cgroup.procs"
        yield ("sh", "-c", f'echo $$ > "{procs}" && exec "$@"', "sh")
    finally:
        for folder in reversed(made):
            if folder.is_dir():
                folder.rmdir()
