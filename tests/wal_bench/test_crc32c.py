# SPDX-License-Identifier: MIT
"""CRC-32C: the vectors of RFC 3720 B.4 and a table-free calculation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wal_bench.crc32c import crc32c, record_crcs

READ_PDU = bytes.fromhex(
    "01c00000000000000000000000000000140000000000040000000014000000182800000000000000"
    "0200000000000000"
)


def divided(data: bytes) -> int:
    """The definition: polynomial division, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.mark.parametrize(
    ("data", "crc"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
        (READ_PDU, 0xD9963A56),
    ],
)
def test_published_vectors(data: bytes, crc: int) -> None:
    assert crc32c(data) == crc


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    assert crc32c(data) == divided(data)


@given(st.lists(st.binary(min_size=24, max_size=60), max_size=5))
def test_a_record_is_summed_data_first_and_without_its_crc_field(records: list[bytes]) -> None:
    log = np.frombuffer(b"".join(records), np.uint8)
    lengths = np.array([len(r) for r in records], np.uint32)
    starts = (np.cumsum(lengths) - lengths).astype(np.uint64)
    owed = [divided(r[24:] + r[:20]) for r in records]
    assert record_crcs(log, starts, lengths).tolist() == owed


@pytest.mark.parametrize(("start", "length"), [(0, 23), (41, 24), (2**64 - 8, 32)])
def test_records_outside_the_log_are_refused(start: int, length: int) -> None:
    with pytest.raises(ValueError, match="not inside the log"):
        record_crcs(
            np.zeros(64, np.uint8), np.array([start], np.uint64), np.array([length], np.uint32)
        )
