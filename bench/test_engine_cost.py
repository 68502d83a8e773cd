# SPDX-License-Identifier: MIT
"""What the engine adds to an operation: nothing done, and cas128 against a bare C loop."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from wal_bench import engine

Measure = Callable[[Callable[[], float]], list[float]]
ShowRatio = Callable[[str, list[float]], None]
RunWindow = Callable[[str, int], engine.Window]

BARE_OPERATIONS = 5_000_000


def ns_per_op(window: engine.Window) -> float:
    return window.window_ns / window.ops


@pytest.mark.benchmark(group="engine cost, 1 thread")
def test_engine_only(measure: Measure, window: RunWindow) -> None:
    measure(lambda: ns_per_op(window("engine-only", 1)))


@pytest.mark.benchmark(group="engine cost, 1 thread")
def test_bare_cas128_loop(measure: Measure) -> None:
    measure(lambda: engine.bare_cas128_ns(BARE_OPERATIONS) / BARE_OPERATIONS)


@pytest.mark.benchmark(group="engine cost, 1 thread")
def test_cas128_against_the_bare_loop(
    measure: Measure, window: RunWindow, show_ratio: ShowRatio
) -> None:
    """Each round runs both, one after the other; the ratio is printed and in extra_info."""
    ratios: list[float] = []

    def pair() -> float:
        bare = engine.bare_cas128_ns(BARE_OPERATIONS) / BARE_OPERATIONS
        ours = ns_per_op(window("cas128", 1))
        ratios.append(ours / bare)
        return ours

    measure(pair)
    show_ratio("cas128 / bare loop", ratios)
