# SPDX-License-Identifier: MIT
"""The C engine: windows that add up, runs that end, faults that are caught.

Oracles: sums over histories in Python integers, the kernel's view of affinity, and methods
that are wrong on purpose.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from typing import Any

import numpy as np
import pytest

from atomics._native import ffi, lib
from wal_bench import dtypes, engine, oracle
from wal_bench.errors import EnvironmentUnfit, UsageError
from wal_bench.findings import Finding
from wal_bench.plan import COMPARED

SIZES = (np.arange(4, 1028, dtype=np.uint32) % 40 + 4) * 8
RIVALS = [m.name for m in engine.methods() if m.kind in COMPARED]
NEVER_END = ("broken-stuck", "broken-deaf")
#: Faults that show in a history.
CAUGHT = [m.name for m in engine.methods() if m.kind == "broken" and m.name not in NEVER_END]


def plan(method: str, threads: int, **changes: Any) -> engine.WindowPlan:
    values: dict[str, Any] = {
        "method": method,
        "cpus": (-1,) * threads,
        "sizes": SIZES,
        "offsets": np.arange(threads, dtype=np.uint32) * 17,
        "warmup_ns": 1_000_000,
        "window_ns": 20_000_000,
    }
    return engine.WindowPlan(**(values | changes))


def findings(window: engine.Window) -> list[Finding]:
    return oracle.check_window(window, engine.method(window.plan.method).links)


def crowd(factor: int) -> int:
    return factor * len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("dtype", "struct"),
    [
        (dtypes.THREAD_DTYPE, "dwcas_thread_result"),
        (dtypes.HISTORY_DTYPE, "dwcas_interval"),
    ],
)
def test_the_record_layouts_are_those_of_c(dtype: np.dtype[np.void], struct: str) -> None:
    assert dtype.itemsize == ffi.sizeof(struct)
    assert dtype.fields is not None
    for name, (_, offset, *_rest) in dtype.fields.items():
        assert offset == ffi.offsetof(struct, name)


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("method", RIVALS)
def test_every_method_passes_the_oracle(method: str, threads: int) -> None:
    window = engine.run_window(plan(method, threads))
    # On a busy machine eight that take turns may not see the window open.
    assert window.status == "ok" or (threads == 8 and window.status == "empty")
    assert findings(window) == []


@pytest.mark.parametrize("threads", [1, 2, 4, 8, crowd(64)])
@pytest.mark.parametrize("method", RIVALS)
def test_every_method_passes_the_oracle_on_a_full_history(method: str, threads: int) -> None:
    each = 5000 if threads <= 2 else max(50, 4000 // threads)  # a fair lock hands over each one
    window = engine.run_window(plan(method, threads, history=each, window_ns=20_000_000_000))
    assert window.history is not None
    assert window.threads["total_ops"].tolist() == [each] * threads
    assert findings(window) == []


@pytest.mark.parametrize("factor", [8, 64])
@pytest.mark.parametrize("method", RIVALS)
def test_many_more_threads_than_cpus_end_in_time(method: str, factor: int) -> None:
    begin = time.monotonic()
    window = engine.run_window(plan(method, crowd(factor)))
    assert window.status in ("ok", "empty", "no progress")
    assert findings(window) == []
    # Start-up of thousands of threads aside, a run may last its window and two seconds.
    assert time.monotonic() - begin < 2.5 + 2.0 + 0.01 * crowd(factor)


def caught(method: str) -> bool:
    window = engine.run_window(plan(method, 4, history=2000, window_ns=20_000_000_000))
    return bool(findings(window))


@pytest.mark.parametrize("method", CAUGHT)
def test_a_broken_method_is_caught(method: str) -> None:
    """The race is real, so it may not show in one run; it yields in its gap and shows in few."""
    assert any(caught(method) for _ in range(10))


@pytest.mark.parametrize("method", CAUGHT)
def test_a_broken_method_is_caught_by_the_sums_of_a_window(method: str) -> None:
    assert any(findings(engine.run_window(plan(method, 4))) for _ in range(10))


def test_a_run_that_cannot_progress_ends_and_says_so() -> None:
    begin = time.monotonic()
    window = engine.run_window(plan("broken-stuck", 3))
    assert window.status == "no progress"
    assert window.threads["total_ops"].tolist() == [0, 0, 0]
    assert time.monotonic() - begin < 4


def test_threads_that_cannot_be_stopped_are_left_behind() -> None:
    code = """
        import os, numpy as np
        from wal_bench import engine
        sizes = np.full(16, 64, np.uint32)
        plan = engine.WindowPlan("broken-deaf", (-1, -1), sizes, np.zeros(2, np.uint32),
                                 window_ns=10_000_000)
        print(engine.run_window(plan).status, flush=True)
        os._exit(0)
    """
    result = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert result.stdout.strip() == "abandoned"


def test_ctrl_c_ends_a_window_at_once() -> None:
    code = """
        import numpy as np
        from wal_bench import engine
        sizes = np.full(16, 64, np.uint32)
        plan = engine.WindowPlan("cas128", (-1,), sizes, np.zeros(1, np.uint32),
                                 window_ns=60_000_000_000)
        try:
            print("ready", flush=True)
            engine.run_window(plan)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline().strip() == "ready"
    begin = time.monotonic()
    while child.poll() is None and time.monotonic() - begin < 30:
        child.send_signal(signal.SIGINT)
        try:
            child.wait(0.2)
        except subprocess.TimeoutExpired:
            continue
    assert child.stdout.read().strip() == "interrupted"
    assert time.monotonic() - begin < 10
    child.stdout.close()


def test_a_harmless_signal_does_not_cut_a_window_short() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: seen.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        window = engine.run_window(plan("spin", 1, window_ns=150_000_000))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen == [signal.SIGALRM]
    assert window.status == "ok"
    assert window.window_ns >= 150_000_000


def test_the_window_is_bounded_by_its_common_stamps() -> None:
    window = engine.run_window(plan("cas128", 2, window_ns=50_000_000))
    assert window.window_ns >= 50_000_000
    assert window.start_ns < window.stop_ns
    assert np.all(window.threads["start_ns"] >= window.start_ns)
    assert np.all(window.threads["stop_ns"] >= window.stop_ns)
    # Not <: on a busy CPU a thread may come to run only after the warm-up.
    assert np.all(window.threads["ops"] <= window.threads["total_ops"])
    assert window.ops == sum(window.threads["ops"].tolist())


def test_warm_up_is_run_and_not_counted() -> None:
    window = engine.run_window(plan("cas128", 1, warmup_ns=200_000_000, window_ns=50_000_000))
    assert 0 < window.ops < int(window.threads["total_ops"].sum())


def test_a_pinned_thread_runs_where_the_result_says() -> None:
    cpus = sorted(os.sched_getaffinity(0))
    window = engine.run_window(plan("spin", len(cpus), cpus=tuple(cpus)))
    assert window.threads["cpu"].tolist() == cpus


def test_sampled_latency_counts_what_the_window_holds() -> None:
    window = engine.run_window(plan("mutex", 1, sample_every=64))
    samples = int(window.latency["count"].sum())
    assert window.ops / 200 < samples < window.ops / 32
    assert np.all(window.latency["low_ns"] < window.latency["high_ns"])
    assert window.latency["low_ns"][-1] <= window.latency_max_ns <= window.latency["high_ns"][-1]


def test_packed_positions_go_on_past_one_tebibyte() -> None:
    """37 bits of 8-byte units wrap at 1 TiB; the position handed out must not."""
    tip = (1 << 40) - 80_000
    window = engine.run_window(
        plan("cas64-packed", 4, history=3000, start_tip=tip, start_prev=tip - 64)
    )
    assert window.end_tip > 1 << 40
    assert findings(window) == []


def test_packed_base_follows_the_tip() -> None:
    """Records of nearly 1 GiB cross the 64 GiB after which somebody moves the base up."""
    big = np.full(16, (1 << 30) - 8, np.uint32)
    window = engine.run_window(plan("cas64-packed", 2, history=4000, sizes=big))
    assert window.end_tip > 7 << 40
    assert findings(window) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"sizes": np.array([60], np.uint32)},
        {"sizes": np.array([], np.uint32)},
        {"cpus": ()},
        {"offsets": np.zeros(3, np.uint32)},
        {"start_tip": 1 << 20, "start_prev": 1 << 20},
        {"start_tip": 1001},
        {"window_ns": 0},
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        engine.run_window(plan("spin", 1, **changes))


def test_a_cpu_outside_the_mask_is_refused() -> None:
    absent = max(os.sched_getaffinity(0)) + 4000
    with pytest.raises(EnvironmentUnfit, match=f"CPU {absent}"):
        engine.run_window(plan("spin", 1, cpus=(absent,)))


def test_an_unknown_method_gets_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="did you mean cas128-backoff"):
        engine.method("cas128-backof")


def test_refused_threads_are_an_error_not_a_crash() -> None:
    code = """
        import resource, numpy as np
        from wal_bench import engine
        from wal_bench.errors import EnvironmentUnfit
        limit = 400 * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        plan = engine.WindowPlan("spin", (-1,) * 4000, np.full(16, 64, np.uint32),
                                 np.zeros(4000, np.uint32))
        try:
            engine.run_window(plan)
        except EnvironmentUnfit as refused:
            print(refused)
    """
    result = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "threads 4000: " in result.stdout, result.stderr


def test_the_status_names_cover_the_enum() -> None:
    assert set(engine._STATUS) | {lib.DWCAS_RUN_NO_THREAD, lib.DWCAS_RUN_NO_MEMORY} == set(range(7))
