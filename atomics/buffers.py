# SPDX-License-Identifier: MIT
"""Memory for pairs: checked before any instruction runs, and kept alive.

A misaligned LOCK CMPXCHG16B or LDXP kills the process, and so does one on a page that it may not
write. Hence the address, the length and the access are checked when a cell is made, not at each
operation; the address of a cell never changes.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from atomics import dispatch
from atomics._native import ffi, lib
from atomics.sequences import of_backend

if TYPE_CHECKING:
    from typing_extensions import Buffer

PAIR_BYTES = 16
CELL_BYTES = 128  #: two cache lines: the neighbour is fetched along with a line


class AlignmentError(ValueError):
    """The address of a pair is not divisible by 16."""


class ReadOnlyError(TypeError):
    """The buffer may not be written, and the operation or the backend's load needs to."""


def own_cells(count: int) -> Any:
    """``count`` zeroed cells of 128 aligned bytes as ``dwcas_atomic_pair *``; MemoryError."""
    memory = lib.dwcas_cells_new(count)
    if memory == ffi.NULL:
        raise MemoryError(f"{count} cells of {CELL_BYTES} bytes")
    cells = ffi.cast("dwcas_atomic_pair *", memory)
    return ffi.gc(cells, lib.dwcas_cells_free, count * CELL_BYTES)


def load_writes(backend: str) -> bool:
    """Whether a 16-byte load of that backend writes the old value back."""
    return of_backend(backend)["load", "relaxed"].code not in (("vmovdqa",), ("ldp",))


def view(buffer: Buffer, offset: int, pairs: int, *, stride: int = PAIR_BYTES) -> Any:
    """``pairs`` pairs, ``stride`` bytes apart, from ``offset`` bytes into a writable buffer, as a
    cdata array that keeps the buffer exported (pinned) for as long as it lives.

    Raises ReadOnlyError, ValueError (too short, negative offset), AlignmentError, or TypeError
    and BufferError as the buffer protocol does.
    """
    with memoryview(buffer) as shape:
        if shape.readonly:
            raise ReadOnlyError("the buffer is read-only; PairReader reads one where the CPU can")
        length = _span(shape, offset, pairs, stride)
    pinned = (ctypes.c_char * length).from_buffer(buffer, offset)
    return _checked(ffi.from_buffer("dwcas_atomic_pair[]", pinned), offset)


def read_only_view(buffer: Buffer, offset: int) -> Any:
    """One pair to be read from any buffer. ReadOnlyError where the backend's load writes and the
    buffer may not be written; else as ``view``."""
    shape = memoryview(buffer)
    if not shape.readonly:
        shape.release()
        return view(buffer, offset, 1)
    backend = dispatch.backend()
    if load_writes(backend):
        code = "; ".join(of_backend(backend)["load", "relaxed"].code)
        raise ReadOnlyError(
            f"the buffer is read-only, and a load of backend {backend} writes ({code})"
        )
    _span(shape, offset, 1, PAIR_BYTES)
    part = shape.cast("B")[offset : offset + PAIR_BYTES]
    return _checked(ffi.from_buffer("dwcas_atomic_pair[]", part), offset)


def _span(shape: memoryview, offset: int, pairs: int, stride: int) -> int:
    if not shape.contiguous:
        raise ValueError("the buffer is not contiguous")
    if offset < 0:
        raise ValueError(f"offset {offset}: not negative")
    needed = (pairs - 1) * stride + PAIR_BYTES
    if offset + needed > shape.nbytes:
        raise ValueError(
            f"buffer of {shape.nbytes} bytes, offset {offset}: {needed} bytes are needed there, "
            f"{max(0, shape.nbytes - offset)} are left"
        )
    return needed


def _checked(array: Any, offset: int) -> Any:
    address = int(ffi.cast("uintptr_t", array))
    if address % PAIR_BYTES:
        raise AlignmentError(
            f"offset {offset} is address {address:#x}: a pair needs one divisible by 16; the next "
            f"is at offset {offset + -address % PAIR_BYTES}"
        )
    return array
