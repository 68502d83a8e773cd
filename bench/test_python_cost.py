# SPDX-License-Identifier: MIT
"""What an operation costs from Python: per call against a bare cffi call, batched against C."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

import numpy as np
import pytest

from atomics import PAIR_DTYPE, AtomicPair, PairArray
from atomics._native import ffi, lib

Measure = Callable[[Callable[[], float]], list[float]]
ShowRatio = Callable[[str, list[float]], None]

CALLS = 100_000
ELEMENTS = 32768
REPEATS = 16


def per_call(call: Callable[[], object]) -> float:
    """ns per call, the empty loop included."""
    begin = perf_counter_ns()
    for _ in range(CALLS):
        call()
    return (perf_counter_ns() - begin) / CALLS


class Calls:
    """One of each, on the same kind of cell."""

    def __init__(self) -> None:
        self.pair = AtomicPair(1, 2)
        self.same = (1, 2)
        self.lock = threading.Lock()
        self.nothing = ctypes.CDLL(None).labs
        self.view: Any = None  # of atomicshm, where that is installed

    def bare_cffi_call(self) -> object:
        return lib.dwcas_nothing(self.pair._cell, 1, 2, 1, 2, 4)

    def compare_and_set(self) -> object:
        return self.pair.compare_and_set(self.same, self.same)

    def compare_exchange(self) -> object:
        return self.pair.compare_exchange(self.same, self.same)

    def load(self) -> object:
        return self.pair.load()

    def fetch_add(self) -> object:
        return self.pair.fetch_add(self.same)

    def threading_lock(self) -> object:
        with self.lock:
            return None

    def ctypes_call(self) -> object:
        return self.nothing(1)

    def atomicshm_compare_and_swap(self) -> object:
        """The peer on PyPI, of 8 bytes, on such a cell."""
        return self.view.cas_u64(0, 0, 0)


NAMES = [name for name in vars(Calls) if not name.startswith("_")]


@pytest.mark.benchmark(group="one call from Python")
@pytest.mark.parametrize("name", NAMES)
def test_call(name: str, measure: Measure) -> None:
    calls = Calls()
    if name.startswith("atomicshm"):
        calls.view = pytest.importorskip("atomicshm").AtomicView(bytearray(64))
    call = getattr(calls, name)
    measure(lambda: per_call(call))


def staircase() -> Any:
    """Each pair expects the one before; the last is the first again, for the next repetition."""
    steps = np.empty(ELEMENTS + 1, PAIR_DTYPE)
    steps["lo"], steps["hi"] = np.arange(ELEMENTS + 1), 2 * np.arange(ELEMENTS + 1)
    steps[-1] = steps[0]
    return steps


def batch() -> float:
    """ns per element of compare_exchange_many on one pair, each element a hit."""
    array = PairArray(1)
    zeros = np.zeros(ELEMENTS, np.int64)
    steps = staircase()
    out = np.empty(ELEMENTS, np.bool_), np.empty(ELEMENTS, PAIR_DTYPE)
    hit = out[0]
    begin = perf_counter_ns()
    for _ in range(REPEATS):
        array.compare_exchange_many(zeros, steps[:-1], steps[1:], out=out)
    spent = perf_counter_ns() - begin
    assert hit.all()
    return spent / (REPEATS * ELEMENTS)


def batch_in_c() -> float:
    """ns per element of the same loop over the same kind of arrays, called without the API."""
    array = PairArray(1)
    zeros, steps, hit = np.zeros(ELEMENTS, np.int64), staircase(), np.empty(ELEMENTS, np.bool_)
    before, after = steps[:-1].copy(), steps[1:].copy()
    observed = np.empty(ELEMENTS, PAIR_DTYPE)
    pair_arrays = (ffi.from_buffer("dwcas_pair[]", a) for a in (before, after, observed))
    arguments = (array._cells, 128, ffi.from_buffer("int64_t[]", zeros), ELEMENTS, 4, *pair_arrays)
    flags = ffi.from_buffer("bool[]", hit)
    begin = perf_counter_ns()
    for _ in range(REPEATS):
        lib.dwcas_compare_exchange_many(*arguments, flags)
    spent = perf_counter_ns() - begin
    assert hit.all()
    return spent / (REPEATS * ELEMENTS)


def registers_in_c() -> float:
    """ns per hit of a C loop that keeps everything in registers."""
    count = REPEATS * ELEMENTS
    return int(lib.dwcas_bare_cas_ns(count)) / count


RATIOS = {
    "compare_and_set / bare cffi call": (
        lambda calls: per_call(calls.compare_and_set),
        lambda calls: per_call(calls.bare_cffi_call),
    ),
    "compare_exchange_many / the loop in C": (lambda _: batch(), lambda _: batch_in_c()),
    "compare_exchange_many / a C loop in registers": (
        lambda _: batch(),
        lambda _: registers_in_c(),
    ),
}


@pytest.mark.benchmark(group="ratios from Python")
@pytest.mark.parametrize("name", RATIOS)
def test_ratio(name: str, measure: Measure, show_ratio: ShowRatio) -> None:
    """Each round runs both, one after the other; the ratio is printed and in extra_info."""
    calls, (ours, theirs) = Calls(), RATIOS[name]
    ratios: list[float] = []

    def pair() -> float:
        bare = theirs(calls)
        mine = ours(calls)
        ratios.append(mine / bare)
        return mine

    measure(pair)
    show_ratio(name, ratios)
