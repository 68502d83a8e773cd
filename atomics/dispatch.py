# SPDX-License-Identifier: MIT
"""Which instruction family serves this process, and what the CPU has.

The choice is made once, in C, by whoever asks first (see csrc/include/dwcas/backend.h);
Python only reads it. ``DWCAS_BACKEND=NAME`` in the environment forces a backend,
``DWCAS_DISABLE=feature,...`` hides features of the CPU; both are read at the first use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from atomics._native import ffi, lib


class NoBackendError(RuntimeError):
    """No 16-byte compare-and-swap here, or not the forced one; the text says what is missing."""


@dataclass(frozen=True)
class Feature:
    """One bit of the CPU: its name, where it was read, and whether it is there."""

    name: str
    source: str
    present: bool


@dataclass(frozen=True)
class Backend:
    """One instruction family of this architecture, and whether this machine can run it."""

    name: str
    available: bool


def _text(pointer: Any) -> str:
    raw: bytes = ffi.string(pointer)
    return raw.decode()


def native_backend() -> Any:
    """The chosen ``dwcas_backend *``. Raises NoBackendError where there is none."""
    chosen = lib.dwcas_backend_chosen()
    if chosen == ffi.NULL:
        raise NoBackendError(_text(lib.dwcas_backend_error()))
    return chosen


def backend() -> str:
    """Name of the backend that serves this process. Raises NoBackendError where there is none."""
    return _text(native_backend().name)


def use_backend(name: str) -> None:
    """Decide for that backend, before the first use; again for the same one is harmless.

    Raises NoBackendError if there is none of that name, the CPU lacks it, or the process has
    already decided for another: one mechanism serves all objects, from the first to the last.
    """
    error = ffi.new("char[256]")
    if not lib.dwcas_backend_use(name.encode(), error, 256):
        raise NoBackendError(_text(error))


def is_lock_free() -> bool:
    """Whether pairs are lock-free here: exactly where there is a backend. No lock is ever used."""
    return bool(lib.dwcas_backend_chosen() != ffi.NULL)


def backends() -> tuple[Backend, ...]:
    """All backends of this architecture, worst first."""
    found: list[Backend] = []
    while (row := lib.dwcas_backend_at(len(found))) != ffi.NULL:
        found.append(Backend(_text(row.name), bool(lib.dwcas_backend_available(row))))
    return tuple(found)


def features() -> tuple[Feature, ...]:
    """The features that matter to 16-byte atomics, as this architecture names them."""
    name, source, present = ffi.new("char **"), ffi.new("char **"), ffi.new("bool *")
    found: list[Feature] = []
    while lib.dwcas_feature_at(len(found), name, source, present):
        found.append(Feature(_text(name[0]), _text(source[0]), bool(present[0])))
    return tuple(found)


@dataclass(frozen=True)
class Build:
    """How the C library was built."""

    version: str
    compiler: str
    flags: str


def build() -> Build:
    """Version, compiler and flags of the C library."""
    return Build(
        _text(lib.dwcas_build_version()),
        _text(lib.dwcas_build_compiler()),
        _text(lib.dwcas_build_flags()),
    )
