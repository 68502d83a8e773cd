# SPDX-License-Identifier: MIT
"""Many pairs, worked on in batches that loop in C, and shared between processes by name.

NumPy sees a pair as the structured type PAIR_DTYPE. A batch is one call: element i of the operands
goes to cell ``indices[i]``, in that order; each element is one atomic operation, the batch is not.
Results are new arrays, or go to ``out``: large new arrays cost page faults, more than the atomics.
"""

from __future__ import annotations

import mmap
import secrets
import struct
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from atomics import shared
from atomics._native import ffi, lib
from atomics.atomic_pair import AtomicPair
from atomics.buffers import CELL_BYTES, PAIR_BYTES, own_cells, view
from atomics.dispatch import native_backend
from atomics.orders import FETCHES, order_number

if TYPE_CHECKING:
    from typing_extensions import Buffer

PAIR_DTYPE = np.dtype([("lo", "u8"), ("hi", "u8")])

Pairs = npt.NDArray[np.void]  #: of PAIR_DTYPE
_HEADER = struct.Struct("<8sQQ")  #: magic, cells, stride; the cells start CELL_BYTES in
_MAGIC = b"dwcas\0\0\1"


def pairs(values: Any) -> Pairs:
    """An array of PAIR_DTYPE, shape (n,): from one, from an (n, 2) array of halves, or from a
    sequence of (lo, hi). TypeError or ValueError for another shape."""
    array = np.asarray(values)
    if array.dtype is PAIR_DTYPE or array.dtype == PAIR_DTYPE:
        return array if array.flags.c_contiguous else np.ascontiguousarray(array)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "ui":
        raise ValueError(
            f"array of {array.dtype}, shape {array.shape}: pairs are an array of PAIR_DTYPE or "
            "of integers with shape (n, 2)"
        )
    if array.dtype.kind == "i" and np.any(array < 0):
        raise OverflowError("a half of a pair is 0 to 2^64 - 1")
    return np.ascontiguousarray(array, np.uint64).view(PAIR_DTYPE).reshape(-1)


class PairArray:
    """``PairArray(n)``: n pairs, zero, each on 128 bytes of its own (``padded``) or 16 bytes apart.

    Dense cells share cache lines: smaller, but threads on neighbours slow each other down.
    ``from_buffer`` takes the caller's memory, ``create`` and ``attach`` shared memory by name.
    """

    def __init__(self, n: int, *, padded: bool = True) -> None:
        if n < 1:
            raise ValueError(f"n {n}: a PairArray has at least one pair")
        native_backend()
        self._n, self._stride = n, CELL_BYTES if padded else PAIR_BYTES
        self._cells = own_cells(-(-n * self._stride // CELL_BYTES))
        self._memory: mmap.mmap | None = None
        self._name: str | None = None

    @classmethod
    def from_buffer(
        cls, buffer: Buffer, n: int, *, offset: int = 0, stride: int = PAIR_BYTES
    ) -> Self:
        """n pairs, ``stride`` bytes apart (a multiple of 16), as they are. The buffer stays
        pinned. Raises AlignmentError, ReadOnlyError, ValueError, NoBackendError."""
        if n < 1 or stride < PAIR_BYTES or stride % PAIR_BYTES:
            raise ValueError(f"n {n}, stride {stride}: at least 1, and a multiple of 16")
        native_backend()
        made = cls.__new__(cls)
        made._n, made._stride, made._memory, made._name = n, stride, None, None
        made._cells = view(buffer, offset, n, stride=stride)
        return made

    @classmethod
    def create(cls, name: str | None, n: int, *, padded: bool = True) -> Self:
        """New shared memory of that name (None = one is made up; see ``name``), pairs zero.
        FileExistsError if there is one. Whoever creates calls ``unlink`` in the end."""
        if n < 1:
            raise ValueError(f"n {n}: a PairArray has at least one pair")
        name = f"dwcas-{secrets.token_hex(8)}" if name is None else name
        stride = CELL_BYTES if padded else PAIR_BYTES
        memory = shared.create(name, CELL_BYTES + n * stride)
        made = cls.from_buffer(memory, n, offset=CELL_BYTES, stride=stride)
        made._memory, made._name = memory, name
        # Last: whoever finds the header finds everything.
        _HEADER.pack_into(memory, 0, _MAGIC, n, stride)
        return made

    @classmethod
    def attach(cls, name: str) -> Self:
        """The array that another process created under that name. FileNotFoundError if there is
        none, ValueError if it is something else."""
        memory = shared.attach(name)
        known = len(memory) >= CELL_BYTES and memory[: len(_MAGIC)] == _MAGIC
        _, n, stride = _HEADER.unpack_from(memory) if known else (b"", 0, 0)
        if not n or len(memory) < CELL_BYTES + n * stride:
            memory.close()
            raise ValueError(f"shared memory {name!r} holds no PairArray")
        made = cls.from_buffer(memory, n, offset=CELL_BYTES, stride=stride)
        made._memory, made._name = memory, name
        return made

    @property
    def name(self) -> str | None:
        """Name of the shared memory, None where there is none."""
        return self._name

    def close(self) -> None:
        """Let the memory go; operations no longer work (TypeError). BufferError while an
        AtomicPair of it is alive."""
        self._cells = None
        if self._memory is not None:
            self._memory.close()

    def unlink(self) -> None:
        """Remove the shared memory's name; processes that have it keep it."""
        if self._name is not None:
            shared.remove(self._name)

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, index: int) -> AtomicPair:
        """The pair at ``index``, as an AtomicPair on the same memory. IndexError outside."""
        if not -self._n <= index < self._n:
            raise IndexError(f"index {index}: there are {self._n} pairs")
        made = AtomicPair.__new__(AtomicPair)
        made._cell = view(self._bytes(), index % self._n * self._stride, 1)
        return made

    def _bytes(self) -> Any:
        # ffi.buffer keeps the cells alive for as long as a view of it lives.
        return ffi.buffer(self._cells, (self._n - 1) * self._stride + PAIR_BYTES)

    def _indices(self, indices: Any) -> npt.NDArray[np.int64]:
        if indices is None:
            return np.arange(self._n, dtype=np.int64)
        array = np.asarray(indices)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "ui"):
            raise TypeError(f"indices of {array.dtype}, shape {array.shape}: integers, shape (n,)")
        # A uint64 beyond int64 becomes negative, which is outside as well.
        found = np.ascontiguousarray(array.astype(np.int64, copy=False))
        wrong = lib.dwcas_first_outside(_int64(found), found.size, self._n)
        if wrong < found.size:
            raise IndexError(f"index {array[wrong]}: there are {self._n} pairs")
        return found

    @staticmethod
    def _operands(values: Any, count: int) -> Pairs:
        array = pairs(values)
        if array.shape != (count,):
            raise ValueError(f"{array.size} pairs for {count} indices")
        return array

    def load_many(
        self, indices: Any = None, order: str = "seq_cst", *, out: Pairs | None = None
    ) -> Pairs:
        """Load these cells (default all); shape (n,), PAIR_DTYPE."""
        number = order_number("load", order)
        where = self._indices(indices)
        values: Pairs = _room(out, where.size, PAIR_DTYPE)
        lib.dwcas_load_many(
            self._cells, self._stride, _int64(where), where.size, number, _pair(values)
        )
        return values

    def fetch_many(
        self,
        operation: str,
        indices: Any,
        operands: Any,
        order: str = "seq_cst",
        *,
        out: Pairs | None = None,
    ) -> Pairs:
        """``exchange`` or a ``fetch_*`` on each cell; returns the old pairs."""
        if operation not in FETCHES:
            raise ValueError(f"{operation!r}: one of {', '.join(FETCHES)}")
        number = order_number(operation, order)
        where = self._indices(indices)
        given = self._operands(operands, where.size)
        old: Pairs = _room(out, where.size, PAIR_DTYPE)
        lib.dwcas_fetch_many(
            self._cells,
            self._stride,
            _int64(where),
            where.size,
            FETCHES.index(operation),
            number,
            _pair(given),
            _pair(old),
        )
        return old

    def fetch_add_many(
        self, indices: Any, operands: Any, order: str = "seq_cst", *, out: Pairs | None = None
    ) -> Pairs:
        """``fetch_many("fetch_add", ...)``."""
        return self.fetch_many("fetch_add", indices, operands, order, out=out)

    def compare_exchange_many(
        self,
        indices: Any,
        expected: Any,
        desired: Any,
        order: str = "seq_cst",
        *,
        out: tuple[npt.NDArray[np.bool_], Pairs] | None = None,
    ) -> tuple[npt.NDArray[np.bool_], Pairs]:
        """compare_exchange on each cell: (whether it hit, the pair that was there)."""
        number = order_number("compare_exchange", order)
        where = self._indices(indices)
        old, new = self._operands(expected, where.size), self._operands(desired, where.size)
        hits, pairs_out = (None, None) if out is None else out
        hit = _room(hits, where.size, np.dtype(np.bool_))
        observed = _room(pairs_out, where.size, PAIR_DTYPE)
        lib.dwcas_compare_exchange_many(
            self._cells,
            self._stride,
            _int64(where),
            where.size,
            number,
            _pair(old),
            _pair(new),
            _pair(observed),
            ffi.from_buffer("bool[]", hit),
        )
        return hit, observed


def _room(out: Any, count: int, dtype: np.dtype[Any]) -> Any:
    """The caller's array for results, or a new one. ValueError for one that does not fit."""
    if out is None:
        return np.empty(count, dtype)
    fits = isinstance(out, np.ndarray) and (out.dtype, out.shape) == (dtype, (count,))
    if not fits or not (out.flags.c_contiguous and out.flags.writeable):
        raise ValueError(f"out: a contiguous, writable array of {dtype}, shape ({count},)")
    return out


def _int64(array: npt.NDArray[np.int64]) -> Any:
    return ffi.from_buffer("int64_t[]", array)


def _pair(array: Pairs) -> Any:
    return ffi.from_buffer("dwcas_pair[]", array)
