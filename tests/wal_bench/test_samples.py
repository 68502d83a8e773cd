# SPDX-License-Identifier: MIT
"""From a window to its figures, against sums in plain Python; and what counts as disturbed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from wal_bench import engine
from wal_bench.dtypes import LATENCY_DTYPE, THREAD_DTYPE
from wal_bench.samples import disturbance, sample

WINDOW = 100_000_000
START = 5_000_000_000


def window(threads: int = 2, method: str = "spin", **changes: object) -> engine.Window:
    rows = np.zeros(threads, THREAD_DTYPE)
    rows["ops"] = 1000 * (np.arange(threads) + 1)
    rows["total_ops"] = rows["ops"] + 5
    rows["retries"] = 100
    rows["cpu_ns"] = WINDOW
    rows["start_ns"] = START + 1000
    rows["stop_ns"] = START + 1000 + WINDOW
    latency = np.array([(4.0, 5.0, 90), (5.0, 6.0, 9), (100.0, 110.0, 1)], LATENCY_DTYPE)
    made = engine.Window(
        plan=engine.WindowPlan(
            method,
            tuple(range(threads)),
            np.array([64], np.uint32),
            np.zeros(threads, np.uint32),
        ),
        status="ok",
        start_ns=START,
        stop_ns=START + WINDOW,
        stamp_gap_ns=100,
        drain_ns=0,
        start_tip=1 << 20,
        start_prev=0,
        end_tip=1 << 20,
        end_prev=0,
        threads=rows,
        latency=latency,
        latency_max_ns=104.0,
        history=None,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


SPIN = engine.method("spin")


def test_figures_are_totals_over_the_common_window() -> None:
    found = sample(window(3), SPIN, 4, 4)
    assert found.round == 4
    ops = 1000 + 2000 + 3000
    assert found.figures["ops_per_s"] == pytest.approx(ops / 0.1)
    assert found.figures["ns_per_op"] == pytest.approx(WINDOW / ops)
    assert found.figures["retries_per_op"] == pytest.approx(300 / ops)
    assert found.figures["cpu_ns_per_op"] == pytest.approx(3 * WINDOW / ops)
    assert found.figures["jain"] == pytest.approx(6000**2 / (3 * (1e6 + 4e6 + 9e6)))
    assert found.counts == (1005, 2005, 3005)


def test_fairness_is_left_out_where_time_slices_decide_it() -> None:
    assert "jain" not in sample(window(3), SPIN, 0, 1).figures


def test_percentiles_stay_below_the_largest_value_seen() -> None:
    assert sample(window(), SPIN, 0, 2).latency_ns == {
        "p50": 5.0,
        "p90": 5.0,
        "p99": 6.0,
        "p999": 104.0,
        "max": 104.0,
    }


def test_a_window_without_reservations_has_no_figures() -> None:
    empty = window(status="no progress", latency=np.empty(0, LATENCY_DTYPE))
    empty.threads["ops"] = 0
    found = sample(empty, SPIN, 0, 2)
    assert found.figures == found.latency_ns == {}
    assert not found.measured


def test_an_abandoned_window_is_neither_measured_nor_checked() -> None:
    found = sample(window(status="abandoned"), SPIN, 0, 2)
    assert not found.measured
    assert not found.checked
    assert found.findings == ()


def test_a_window_whose_sums_do_not_fit_is_not_checked() -> None:
    found = sample(window(end_tip=(1 << 20) + 8), SPIN, 0, 2)
    assert not found.checked
    assert {f.rule for f in found.findings} >= {"sum-size"}


def test_a_quiet_window_is_not_disturbed() -> None:
    assert disturbance(window(), SPIN, 2) is None


def test_a_thread_that_waited_for_its_own_cpu_was_disturbed() -> None:
    waiting = window()
    waiting.threads["run_delay_ns"] = [0, WINDOW // 10]
    assert disturbance(waiting, SPIN, 2) == "a thread waited 10% of the window for its CPU"
    assert disturbance(waiting, engine.method("mutex"), 2) is not None


def test_threads_that_share_a_cpu_wait_by_design() -> None:
    waiting = window(4)
    waiting.threads["run_delay_ns"] = WINDOW // 2
    assert disturbance(waiting, SPIN, 2) is None
    shared = replace(waiting.plan, cpus=(0, 0, 1, 1))
    assert disturbance(replace(waiting, plan=shared), SPIN, 4) is None
    free = replace(waiting.plan, cpus=(-1, -1, -1, -1))
    assert disturbance(replace(waiting, plan=free), SPIN, 4) is not None


def test_without_delays_the_cpu_time_of_a_spinner_tells() -> None:
    busy = window()
    busy.threads["run_delay_ns"] = -1
    cas = engine.method("cas128")
    assert disturbance(busy, cas, 2) is None
    busy.threads["cpu_ns"] = [WINDOW, WINDOW // 2]
    assert disturbance(busy, cas, 2) == "a thread had its CPU for only 50% of the window"
    assert disturbance(busy, engine.method("mutex"), 2) is None  # it may have slept


def test_blurred_ends_and_absent_threads_are_disturbances() -> None:
    assert "blurred" in str(disturbance(window(stamp_gap_ns=WINDOW // 40), SPIN, 2))
    assert "came to run" in str(disturbance(window(8, status="empty"), SPIN, 2))
    absent = window()
    absent.threads["start_ns"] = [0, START]
    assert disturbance(absent, SPIN, 2) == "a thread never ran inside the window"
