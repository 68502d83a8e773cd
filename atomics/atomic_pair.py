# SPDX-License-Identifier: MIT
"""One pair in memory, and every operation on it. Lock-free; no operation waits for another.

Operands are a Pair, ``(lo, hi)`` or an int of up to 128 bits (a negative one as two's complement);
halves are 0 to 2^64 - 1, OverflowError otherwise. Orders are C11's by name (orders.py); one that an
operation does not have is a ValueError that says which it has. The caller's objects are never
written. Which instructions serve an operation: ``atomics info`` and csrc/pair/README.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from atomics._native import lib
from atomics.buffers import own_cells, read_only_view, view
from atomics.dispatch import native_backend
from atomics.orders import FETCHES, OPERATIONS, ORDERS, order_number
from atomics.pair import Operand, Pair, halves

if TYPE_CHECKING:
    from typing_extensions import Buffer

_NUMBER = {order: number for number, order in enumerate(ORDERS)}
_FETCH = {name: number for number, name in enumerate(FETCHES)}
_LOAD = {order: _NUMBER[order] for order in OPERATIONS["load"]}
_STORE = {order: _NUMBER[order] for order in OPERATIONS["store"]}
_LO, _HI = 0, 1

_new = tuple.__new__  # a Pair of words that came from memory needs no range check
_load, _store = lib.dwcas_load, lib.dwcas_store
_compare_and_set, _compare_exchange = lib.dwcas_compare_and_set, lib.dwcas_compare_exchange
_fetch, _load_half, _add_half = (
    lib.dwcas_fetch_pair,
    lib.dwcas_load_half,
    lib.dwcas_fetch_add_half,
)


class PairReader:
    """A pair that is only read. Over any buffer, a read-only one too where the backend's load does
    not write (``cx16_avx``, ``lse2`` and later)."""

    __slots__ = ("__weakref__", "_cell")

    _cell: Any

    @classmethod
    def from_buffer(cls, buffer: Buffer, offset: int = 0) -> Self:
        """The 16 bytes at ``offset``; the buffer stays pinned. Raises AlignmentError, ValueError
        (too short), ReadOnlyError, NoBackendError."""
        native_backend()
        made = cls.__new__(cls)
        made._cell = read_only_view(buffer, offset)
        return made

    def close(self) -> None:
        """Let the buffer go (a mmap or shared memory can then be closed). No operation works
        afterwards: TypeError."""
        self._cell = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def load(self, order: str = "seq_cst") -> Pair:
        """The pair as it was at one moment. Orders relaxed, acquire, seq_cst."""
        try:
            number = _LOAD[order]
        except KeyError:
            number = order_number("load", order)
        value = _load(self._cell, number)
        return _new(Pair, (value.lo, value.hi))

    def load_lo(self, order: str = "seq_cst") -> int:
        """The low half, 8 bytes. Orders as load."""
        return int(_load_half(self._cell, _LO, order_number("load_lo", order)))

    def load_hi(self, order: str = "seq_cst") -> int:
        """The high half, 8 bytes. Orders as load."""
        return int(_load_half(self._cell, _HI, order_number("load_hi", order)))


class AtomicPair(PairReader):
    """Two 64-bit words that move together.

    ``AtomicPair(lo, hi)`` has an aligned cell of its own, 128 bytes that it shares with nothing;
    ``AtomicPair.from_buffer`` works on 16 bytes of the caller's. NoBackendError where the CPU has
    no 16-byte compare-and-swap: there is no lock to fall back to.

    Two CAS forms: ``compare_exchange`` hands out the pair that was there, ``compare_and_set``
    answers yes or no, which before LSE2 saves arm64 a store. True means that the pair was
    ``expected`` and now is ``desired``, nothing else.
    """

    __slots__ = ()

    def __init__(self, lo: int = 0, hi: int = 0) -> None:
        native_backend()
        self._cell = own_cells(1)
        _store(self._cell, lo, hi, 0)

    @classmethod
    def from_buffer(cls, buffer: Buffer, offset: int = 0) -> Self:
        """The 16 bytes at ``offset`` of a writable buffer (bytearray, NumPy, mmap, SharedMemory),
        as they are. It stays pinned. Raises AlignmentError, ValueError (too short),
        ReadOnlyError, NoBackendError."""
        native_backend()
        made = cls.__new__(cls)
        made._cell = view(buffer, offset, 1)
        return made

    def store(self, value: Operand, order: str = "seq_cst") -> None:
        """Write both halves at once. Orders relaxed, release, seq_cst."""
        try:
            number = _STORE[order]
        except KeyError:
            number = order_number("store", order)
        lo, hi = halves(value)
        _store(self._cell, lo, hi, number)

    def compare_and_set(self, expected: Operand, desired: Operand, order: str = "seq_cst") -> bool:
        """Whether the pair was ``expected`` and now is ``desired``. Every order; on a mismatch its
        acquire half still holds."""
        try:
            (elo, ehi), (dlo, dhi), number = expected, desired, _NUMBER[order]  # type: ignore[misc]
        except (TypeError, ValueError, KeyError):
            (elo, ehi), (dlo, dhi) = halves(expected), halves(desired)
            number = order_number("compare_and_set", order)
        return _compare_and_set(self._cell, elo, ehi, dlo, dhi, number)  # type: ignore[no-any-return]

    def compare_exchange(
        self,
        expected: Operand,
        desired: Operand,
        success: str = "seq_cst",
        failure: str | None = None,
    ) -> tuple[bool, Pair]:
        """(whether it was ``expected`` and now is ``desired``, the pair that was there).

        ``failure`` is the order of a mismatch: relaxed, acquire or seq_cst; by default the acquire
        half of ``success``. One stronger than ``success`` strengthens it (C17 7.17.7.4).
        """
        try:
            strong, weak = _NUMBER[success], 0 if failure is None else _LOAD[failure]
        except KeyError:
            strong, weak = order_number("compare_exchange", success), _failure_number(failure)
        (elo, ehi), (dlo, dhi) = halves(expected), halves(desired)
        found = _compare_exchange(self._cell, elo, ehi, dlo, dhi, strong, weak)
        return found.ok, _new(Pair, (found.lo, found.hi))

    def _fetch(self, name: str, operand: Operand, order: str) -> Pair:
        try:
            number = _NUMBER[order]
        except KeyError:
            number = order_number(name, order)
        lo, hi = halves(operand)
        old = _fetch(self._cell, _FETCH[name], lo, hi, number)
        return _new(Pair, (old.lo, old.hi))

    def exchange(self, value: Operand, order: str = "seq_cst") -> Pair:
        """Write both halves, return the old pair. Every order, as for all that follow."""
        return self._fetch("exchange", value, order)

    def fetch_add(self, operand: Operand, order: str = "seq_cst") -> Pair:
        """Add as a 128-bit number, carrying across the halves, modulo 2^128."""
        return self._fetch("fetch_add", operand, order)

    def fetch_sub(self, operand: Operand, order: str = "seq_cst") -> Pair:
        """Subtract as a 128-bit number, modulo 2^128."""
        return self._fetch("fetch_sub", operand, order)

    def fetch_add_lanes(self, operand: Operand, order: str = "seq_cst") -> Pair:
        """Add each half on its own, modulo 2^64, without a carry."""
        return self._fetch("fetch_add_lanes", operand, order)

    def fetch_and(self, operand: Operand, order: str = "seq_cst") -> Pair:
        """Bitwise and."""
        return self._fetch("fetch_and", operand, order)

    def fetch_or(self, operand: Operand, order: str = "seq_cst") -> Pair:
        """Bitwise or."""
        return self._fetch("fetch_or", operand, order)

    def fetch_xor(self, operand: Operand, order: str = "seq_cst") -> Pair:
        """Bitwise exclusive or."""
        return self._fetch("fetch_xor", operand, order)

    def fetch_nand(self, operand: Operand, order: str = "seq_cst") -> Pair:
        """Bitwise not of and."""
        return self._fetch("fetch_nand", operand, order)

    def fetch_max(self, operand: Operand, order: str = "seq_cst") -> Pair:
        """The larger as 128-bit numbers."""
        return self._fetch("fetch_max", operand, order)

    def fetch_min(self, operand: Operand, order: str = "seq_cst") -> Pair:
        """The smaller as 128-bit numbers."""
        return self._fetch("fetch_min", operand, order)

    def fetch_max_signed(self, operand: Operand, order: str = "seq_cst") -> Pair:
        """The larger as two's complement."""
        return self._fetch("fetch_max_signed", operand, order)

    def fetch_min_signed(self, operand: Operand, order: str = "seq_cst") -> Pair:
        """The smaller as two's complement."""
        return self._fetch("fetch_min_signed", operand, order)

    def exchange_lo_add_hi(self, operand: Operand, order: str = "seq_cst") -> Pair:
        """Replace lo, add to hi modulo 2^64."""
        return self._fetch("exchange_lo_add_hi", operand, order)

    def bump(self, pointer: int, order: str = "seq_cst") -> Pair:
        """A tagged pointer: lo becomes ``pointer``, the tag in hi goes up by one."""
        return self._fetch("exchange_lo_add_hi", (pointer, 1), order)

    def fetch_add_lo(self, operand: int, order: str = "seq_cst") -> int:
        """Add 0 to 2^64 - 1 to the low half alone, 8 bytes; return what it was."""
        return int(_add_half(self._cell, _LO, operand, order_number("fetch_add_lo", order)))

    def fetch_add_hi(self, operand: int, order: str = "seq_cst") -> int:
        """Add 0 to 2^64 - 1 to the high half alone, 8 bytes; return what it was."""
        return int(_add_half(self._cell, _HI, operand, order_number("fetch_add_hi", order)))


def _failure_number(order: str | None) -> int:
    if order not in _LOAD:
        legal = ", ".join(_LOAD)
        raise ValueError(
            f"compare_exchange with failure order {order!r}: a mismatch stores nothing, so its "
            f"orders are {legal}"
        )
    return _LOAD[order]
