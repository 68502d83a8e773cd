# SPDX-License-Identifier: MIT
"""CRC-32C (Castagnoli, RFC 3720), the checksum of WAL records; computed in C."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from atomics._native import ffi, lib


def crc32c(data: bytes) -> int:
    """Of plain bytes."""
    return int(lib.dwcas_crc32c(data, len(data)))


def record_crcs(
    log: npt.NDArray[np.uint8], starts: npt.NDArray[np.uint64], lengths: npt.NDArray[np.uint32]
) -> npt.NDArray[np.uint32]:
    """What the CRC field of each record owes: its data, then its header up to that field.

    ``log`` is without page headers, ``starts`` are indices of it. Raises ValueError for a record
    that is shorter than its header or not inside ``log``.
    """
    ends = starts + lengths
    if (lengths < 24).any() or (ends < starts).any() or (ends > log.size).any():
        raise ValueError("a record is shorter than its header, or not inside the log")
    crcs = np.empty(starts.size, np.uint32)
    lib.dwcas_record_crc_many(
        ffi.from_buffer("uint8_t[]", log),
        ffi.from_buffer("uint64_t[]", starts),
        ffi.from_buffer("uint32_t[]", lengths),
        starts.size,
        ffi.from_buffer("uint32_t[]", crcs),
    )
    return crcs
