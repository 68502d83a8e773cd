# SPDX-License-Identifier: MIT
"""Methods that leave links or completions in rings and tables, at the edges of these: laps, records
longer than a ring, a link to position 0, positions past what the words hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wal_bench import engine, oracle

KIB, MIB, TIB = 1 << 10, 1 << 20, 1 << 40
RINGS = ("opengauss", "faa-link", "faa-table", "innodb")
EVERY = (*RINGS, "cas64-seeded")


def checked(method: str, threads: int, sizes: list[int], **changes: Any) -> engine.Window:
    """A full history in which the oracle finds nothing."""
    values: dict[str, Any] = {"history": 2000, "window_ns": 20_000_000_000}
    window = engine.run_window(
        engine.WindowPlan(
            method,
            (-1,) * threads,
            np.array(sizes, np.uint32),
            np.arange(threads, dtype=np.uint32),
            **(values | changes),
        )
    )
    assert window.status == "ok"
    assert oracle.check_window(window, engine.method(method).links) == []
    return window


@pytest.mark.parametrize("method", RINGS)
def test_a_ring_is_lapped(method: str) -> None:
    """1 MiB of log, or 65,536 records, is one lap."""
    window = checked(method, 4, [64, 72, 200, 32, 8168], history=40_000)
    assert window.end_tip - window.start_tip > 8 * MIB


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("method", RINGS)
def test_records_as_long_as_a_ring_and_longer(method: str, threads: int) -> None:
    checked(method, threads, [64, MIB - 8, MIB, MIB + 8, 32, 3 * MIB, 2 * MIB - 64, 40])


@pytest.mark.parametrize("method", EVERY)
def test_the_least_size_fills_every_slot(method: str) -> None:
    checked(method, 4, [8], history=40_000)


@pytest.mark.parametrize("method", EVERY)
def test_position_0_is_a_link_like_any_other(method: str) -> None:
    window = checked(method, 2, [64], start_tip=64, start_prev=0)
    assert window.history is not None
    if engine.method(method).links:
        first = window.history["start"] == 64
        assert window.history["prev"][first].tolist() == [0]


@pytest.mark.parametrize("method", EVERY)
def test_positions_go_on_past_one_tebibyte(method: str) -> None:
    """Words hold 37 bits of 8-byte units, tags 32: nothing wraps in what is handed out."""
    window = checked(method, 4, [64, 8168], start_tip=TIB - 80_000, start_prev=TIB - 80_064)
    assert window.end_tip > TIB


@pytest.mark.parametrize("method", EVERY)
def test_records_of_nearly_a_gibibyte(method: str) -> None:
    """Over 7 TiB in all: the base of a packed word has to follow."""
    window = checked(method, 2, [(1 << 30) - 8], history=4000)
    assert window.end_tip > 7 * TIB
