# SPDX-License-Identifier: MIT
"""What each operation does, as arithmetic on Python integers; knows nothing of the C code."""

from __future__ import annotations

from collections.abc import Callable

M64, M128 = (1 << 64) - 1, (1 << 128) - 1


def lanes(lo: int, hi: int) -> int:
    return (hi & M64) << 64 | lo & M64


def signed(n: int) -> int:
    return n - (1 << 128) if n >> 127 else n


#: operation -> (old, operand) -> new, as numbers of 128 bits
FETCH: dict[str, Callable[[int, int], int]] = {
    "exchange": lambda old, by: by,
    "fetch_add": lambda old, by: (old + by) & M128,
    "fetch_sub": lambda old, by: (old - by) & M128,
    "fetch_add_lanes": lambda old, by: lanes(old + by, (old >> 64) + (by >> 64)),
    "fetch_and": lambda old, by: old & by,
    "fetch_or": lambda old, by: old | by,
    "fetch_xor": lambda old, by: old ^ by,
    "fetch_nand": lambda old, by: ~(old & by) & M128,
    "fetch_max": max,
    "fetch_min": min,
    "fetch_max_signed": lambda old, by: max(old, by, key=signed),
    "fetch_min_signed": lambda old, by: min(old, by, key=signed),
    "exchange_lo_add_hi": lambda old, by: lanes(by, (old >> 64) + (by >> 64)),
}

#: Asymmetric halves, carries, borrows, top bits.
EDGES = [
    0,
    1,
    1 << 64,
    M64,
    M64 << 64,
    M128,
    1 << 127,
    (1 << 127) - 1,
    lanes(0x8000000000000001, 0x7FFFFFFFFFFFFFF2),
    lanes(0x1122334455667788, 0xFEDCBA9876543210),
]
