# SPDX-License-Identifier: MIT
"""Shared memory by name: POSIX shared memory, which Linux keeps as files in /dev/shm.

Not multiprocessing.shared_memory: before Python 3.13 its resource tracker removes a segment when
any process that attached to it ends (CPython issue 82300). The names are the same.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path

_FOLDER = Path("/dev/shm")


def _path(name: str) -> Path:
    if not name or "/" in name or name in (".", "..") or "\0" in name:
        raise ValueError(f"name {name!r}: of shared memory: not empty, no slash")
    return _FOLDER / name


def create(name: str, size: int) -> mmap.mmap:
    """New zeroed memory for this user. FileExistsError if the name is taken."""
    descriptor = os.open(_path(name), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.ftruncate(descriptor, size)
        return mmap.mmap(descriptor, size)
    except BaseException:
        remove(name)
        raise
    finally:
        os.close(descriptor)


def attach(name: str) -> mmap.mmap:
    """Memory that exists. FileNotFoundError if there is none, ValueError if it is empty."""
    descriptor = os.open(_path(name), os.O_RDWR | os.O_CLOEXEC)
    try:
        return mmap.mmap(descriptor, 0)
    finally:
        os.close(descriptor)


def remove(name: str) -> None:
    """Remove the name; whoever has the memory keeps it. FileNotFoundError if there is none."""
    _path(name).unlink()
