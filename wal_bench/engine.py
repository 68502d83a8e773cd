# SPDX-License-Identifier: MIT
"""The C engine from Python: the registry of methods, and one window per call.

Positions are bytepos (usable bytes of the log), times ns of CLOCK_MONOTONIC, sizes bytes.
The contract of a run (phases, stamps, watchdog) is in csrc/include/dwcas/engine.h.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

import atomics
from atomics._native import ffi, lib
from atomics.dispatch import native_backend
from wal_bench import insert as inserting
from wal_bench import names
from wal_bench.dtypes import HISTORY_DTYPE, INSERTION_DTYPE, LATENCY_DTYPE, THREAD_DTYPE
from wal_bench.errors import EnvironmentUnfit, UsageError
from wal_bench.insert import InsertPlan, InsertResult

MAX_THREADS = 16384

_KINDS = {
    lib.DWCAS_KIND_LOCK: "lock",
    lib.DWCAS_KIND_LOCK_FREE: "lock-free",
    lib.DWCAS_KIND_FETCH_ADD: "fetch-add",
    lib.DWCAS_KIND_COMBINING: "combining",
    lib.DWCAS_KIND_BOUND: "bound",
    lib.DWCAS_KIND_ENGINE: "engine",
    lib.DWCAS_KIND_BROKEN: "broken",
}

_STATUS = {
    lib.DWCAS_RUN_OK: "ok",
    lib.DWCAS_RUN_EMPTY: "empty",
    lib.DWCAS_RUN_NO_PROGRESS: "no progress",
    lib.DWCAS_RUN_INTERRUPTED: "interrupted",
    lib.DWCAS_RUN_ABANDONED: "abandoned",
}

#: Threads of an abandoned run still read their plan: it must live as long as the process.
_abandoned: list[tuple[object, ...]] = []


RIVALS = ("lock", "lock-free", "fetch-add", "combining")  #: kinds of methods that can win


@dataclass(frozen=True)
class Method:
    """One row of the C registry."""

    name: str
    kind: str  #: a rival's, "bound", "engine" (reserves nothing) or "broken"
    summary: str
    source: str  #: where the algorithm comes from
    links: bool  #: returns prev links; without, checks of the prev link do not apply
    lock: str | None  #: the lock it takes
    sleeps: bool  #: may give up the CPU while it waits
    telling: bool  #: measured by default
    native: Any = field(repr=False, compare=False, default=None)


@dataclass(frozen=True)
class WindowPlan:
    """What to run once. One thread per entry of ``cpus``; -1 leaves a thread unpinned."""

    method: str
    cpus: tuple[int, ...]
    sizes: npt.NDArray[np.uint32]  #: record sizes, aligned to 8, read in a circle
    offsets: npt.NDArray[np.uint32]  #: where in ``sizes`` each thread starts
    warmup_ns: int = 20_000_000
    window_ns: int = 100_000_000  #: with a history: the time limit
    start_tip: int = 1 << 20
    start_prev: int = (1 << 20) - 64
    sample_every: int = 1024  #: one operation in about this many is timed
    history: int = 0  #: > 0: this many operations per thread, all recorded, no window
    insert: InsertPlan | None = None  #: the insertion around the reservation; None: only reserve


@dataclass(frozen=True)
class Window:
    """What one run did. Sums and the end state cover the whole run, a superset of the window."""

    plan: WindowPlan
    status: str  #: "ok", "empty", "no progress", "interrupted" or "abandoned"
    start_ns: int
    stop_ns: int
    stamp_gap_ns: int  #: how long raising a flag took at worst: the controller was preempted
    drain_ns: int  #: last thread out, after the window closed
    start_tip: int
    start_prev: int
    end_tip: int
    end_prev: int
    threads: npt.NDArray[np.void]  #: THREAD_DTYPE, one row per thread
    latency: npt.NDArray[np.void]  #: LATENCY_DTYPE, non-empty buckets, ascending
    latency_max_ns: float
    history: npt.NDArray[np.void] | None  #: HISTORY_DTYPE (threads, plan.history); see total_ops
    inserted: npt.NDArray[np.void] | None = None  #: INSERTION_DTYPE, beside ``history``
    insert: InsertResult | None = None  #: of a plan with ``insert``, unless abandoned

    @property
    def window_ns(self) -> int:
        """Length of the window by its common stamps."""
        return self.stop_ns - self.start_ns

    @property
    def ops(self) -> int:
        """Operations of all threads inside the window."""
        return int(self.threads["ops"].sum())


def _text(pointer: Any) -> str:
    raw: bytes = ffi.string(pointer)
    return raw.decode()


@functools.cache
def methods() -> tuple[Method, ...]:
    """All rows of the registry, wrong-on-purpose ones included, in its order.

    Raises EnvironmentUnfit on a CPU without a 16-byte compare-and-swap.
    """
    try:
        row = native_backend().methods
    except atomics.NoBackendError as missing:
        raise EnvironmentUnfit(str(missing)) from None
    found: list[Method] = []
    while row[len(found)] != ffi.NULL:
        method = row[len(found)]
        found.append(
            Method(
                name=_text(method.name),
                kind=_KINDS[method.kind],
                summary=_text(method.summary),
                source=_text(method.source),
                links=bool(method.links),
                lock=None if method.lock == ffi.NULL else _text(method.lock),
                sleeps=bool(method.sleeps),
                telling=bool(method.telling),
                native=method,
            )
        )
    return tuple(found)


def method(name: str) -> Method:
    """The row of that name. Raises UsageError with the nearest name."""
    rows = {row.name: row for row in methods()}
    return names.row("method", name, rows, "`wal-bench list` names them")


def build_info() -> dict[str, str]:
    """Version, compiler, flags of the C library, and the backend that serves this process."""
    built = atomics.build()
    return {
        "version": built.version,
        "compiler": built.compiler,
        "flags": built.flags,
        "backend": atomics.backend(),
    }


def clock_cost() -> tuple[float, float]:
    """Cost of one reading of the sampling clock and the step it advances by, both in ns."""
    cost, step = ffi.new("double *"), ffi.new("double *")
    lib.dwcas_clock_cost(cost, step)
    return float(cost[0]), float(step[0])


def bare_cas128_ns(operations: int) -> int:
    """ns that many reservations of ``cas128`` take in a bare C loop, in this thread."""
    return int(native_backend().bare_cas128_ns(operations))


def _require(condition: bool, text: str) -> None:
    if not condition:
        raise UsageError(text)


def _check(plan: WindowPlan) -> None:
    count, sizes = len(plan.cpus), np.asarray(plan.sizes)
    _require(1 <= count <= MAX_THREADS, f"threads {count}: 1 to {MAX_THREADS} can be run")
    _require(sizes.size > 0, "sizes: no record size is given")
    _require(not np.any(sizes % 8) and bool(np.all(sizes > 0)), "sizes: not all multiples of 8")
    _require(len(plan.offsets) == count, f"offsets: {len(plan.offsets)} for {count} threads")
    _require(plan.start_tip % 8 == 0, f"start_tip {plan.start_tip}: not a multiple of 8")
    _require(
        0 <= plan.start_prev < plan.start_tip and plan.start_prev % 8 == 0,
        f"start_prev {plan.start_prev}: a multiple of 8 below the tip {plan.start_tip} is needed",
    )
    _require(
        plan.window_ns > 0 and plan.warmup_ns >= 0 and plan.history >= 0 and plan.sample_every > 0,
        "window, warm-up, history, sample_every: must not be negative, window and sampling not 0",
    )
    if plan.insert is not None:
        links = method(plan.method).links
        inserting.check(plan.insert, sizes, count, plan.start_tip, links)


def _latency(result: Any) -> npt.NDArray[np.void]:
    counts = np.frombuffer(ffi.buffer(result.latency), dtype=np.uint64)
    used = np.flatnonzero(counts)
    low = [lib.dwcas_latency_bucket_low(int(b)) * result.ns_per_tick for b in used]
    high = [lib.dwcas_latency_bucket_low(int(b) + 1) * result.ns_per_tick for b in used]
    table = np.empty(used.size, LATENCY_DTYPE)
    table["low_ns"], table["high_ns"], table["count"] = low, high, counts[used]
    return table


def _refuse(result: Any, threads: npt.NDArray[np.void], plan: WindowPlan) -> None:
    wanted = len(plan.cpus)
    if result.status == lib.DWCAS_RUN_NO_THREAD:
        raise EnvironmentUnfit(
            f"threads {wanted}: the system refused thread {result.threads_started + 1} "
            f"({os.strerror(result.errno_)}); ask for fewer or raise its limit"
        )
    if result.status == lib.DWCAS_RUN_NO_MEMORY:
        raise EnvironmentUnfit(f"threads {wanted}: not enough memory for their counters")
    refused = np.flatnonzero(threads["pin_errno"])
    if refused.size:
        first = int(refused[0])
        raise EnvironmentUnfit(
            f"CPU {plan.cpus[first]}: thread {first} cannot be pinned to it "
            f"({os.strerror(int(threads['pin_errno'][first]))}); "
            f"this process may use {sorted(os.sched_getaffinity(0))}"
        )


@dataclass(frozen=True)
class Records:
    """Where a history is recorded: zeroed, (threads, plan.history). Whoever maps the same memory
    sees the operations that have returned, and how far the others are, at any time."""

    history: npt.NDArray[np.void]  #: HISTORY_DTYPE; begin_ns is 0 until the operation returns
    inserted: npt.NDArray[np.void]  #: INSERTION_DTYPE; each field is 0 until it is reached


def records(plan: WindowPlan) -> Records | None:
    """New ones, in this process's own memory; None for a plan without history."""
    shape = (len(plan.cpus), plan.history)
    if not plan.history:
        return None
    return Records(np.zeros(shape, HISTORY_DTYPE), np.zeros(shape, INSERTION_DTYPE))


def run_window(plan: WindowPlan, into: Records | None = None) -> Window:
    """Run the plan once and return what happened. The GIL is released meanwhile.

    Ctrl-C ends the window early and raises KeyboardInterrupt as usual. A method that makes no
    progress ends within two seconds after the window, with status "no progress"; one in which no
    thread came to run is "empty". Raises
    UsageError for a plan that makes no sense, EnvironmentUnfit where the system refuses threads
    or a CPU.
    """
    _check(plan)
    recorded = into or records(plan)
    if plan.insert is None:
        return _run(plan, ffi.NULL, recorded)
    inserted = recorded.inserted if recorded else None
    with inserting.opened(plan.insert) as directory:
        return _run(plan, inserting.native(plan.insert, directory, inserted), recorded)


def _run(plan: WindowPlan, insert: Any, recorded: Records | None) -> Window:
    count = len(plan.cpus)
    cpus = np.asarray(plan.cpus, np.int32)
    offsets = np.ascontiguousarray(plan.offsets, np.uint32)
    sizes = np.ascontiguousarray(plan.sizes, np.uint32)
    threads = np.zeros(count, THREAD_DTYPE)
    result = ffi.new("dwcas_result *")
    native = ffi.new("dwcas_plan *")
    native.method = method(plan.method).native
    native.threads = count
    native.cpus = ffi.from_buffer("int32_t[]", cpus)
    native.offsets = ffi.from_buffer("uint32_t[]", offsets)
    native.sizes = ffi.from_buffer("uint32_t[]", sizes)
    native.size_count = sizes.size
    native.sample_every = plan.sample_every
    native.warmup_ns = plan.warmup_ns
    native.window_ns = plan.window_ns
    native.start_tip = plan.start_tip
    native.start_prev = plan.start_prev
    native.history = plan.history
    native.insert = insert
    if recorded is not None:
        native.recorded = ffi.from_buffer("dwcas_interval[]", recorded.history)
    rows = ffi.from_buffer("dwcas_thread_result[]", threads)
    status = lib.dwcas_run(native, result, rows)
    for _ in range(3):
        # Python's own handlers have run by now, so this was no Ctrl-C but a harmless
        # signal (a resized terminal): the window was cut short, measure it again.
        if status != lib.DWCAS_RUN_INTERRUPTED:
            break
        status = lib.dwcas_run(native, result, rows)
    if status == lib.DWCAS_RUN_ABANDONED:
        _abandoned.append((native, cpus, offsets, sizes, recorded, insert))
    _refuse(result, threads, plan)
    return Window(
        plan=plan,
        status=_STATUS[status],
        start_ns=result.start_ns,
        stop_ns=result.stop_ns,
        stamp_gap_ns=result.stamp_gap_ns,
        drain_ns=max(0, result.left_ns - result.stop_ns),
        start_tip=plan.start_tip,
        start_prev=plan.start_prev,
        end_tip=result.end_tip,
        end_prev=result.end_prev,
        threads=threads,
        latency=_latency(result),
        latency_max_ns=result.latency_max_ticks * result.ns_per_tick,
        history=recorded.history if recorded else None,
        inserted=recorded.inserted if recorded and plan.insert else None,
        insert=_insert_result(plan, result),
    )


def _insert_result(plan: WindowPlan, result: Any) -> InsertResult | None:
    if plan.insert is None or result.status == lib.DWCAS_RUN_ABANDONED:
        return None
    return inserting.result(plan.insert, result.insert)
