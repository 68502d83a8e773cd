# SPDX-License-Identifier: MIT
"""Every operation of AtomicPair against integers, its orders, its buffers, its errors."""

from __future__ import annotations

import gc
import mmap
import os
import subprocess
import sys
import threading
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import atomics
from atomics import AlignmentError, AtomicPair, Pair, PairReader, ReadOnlyError
from atomics.buffers import load_writes
from atomics.orders import FETCHES, LOAD_ORDERS, ORDERS, STORE_ORDERS
from tests.atomics import model

NUMBERS = st.integers(0, 2**128 - 1)


def split(number: int) -> tuple[int, int]:
    return number & model.M64, number >> 64


def test_the_model_knows_every_operation() -> None:
    assert tuple(model.FETCH) == FETCHES


@pytest.mark.parametrize(("name", "order"), [*product(FETCHES, ORDERS)])
def test_a_fetch_returns_the_old_pair_and_leaves_the_new(name: str, order: str) -> None:
    cell = AtomicPair()
    for old, operand in product(model.EDGES, repeat=2):
        cell.store(old)
        assert getattr(cell, name)(operand, order).as_int == old
        assert cell.load().as_int == model.FETCH[name](old, operand)


@given(st.sampled_from(FETCHES), NUMBERS, NUMBERS)
def test_any_fetch_of_any_numbers(name: str, old: int, operand: int) -> None:
    cell = AtomicPair(*split(old))
    assert getattr(cell, name)(split(operand)) == split(old)
    assert cell.load().as_int == model.FETCH[name](old, operand)


@pytest.mark.parametrize(("success", "failure"), [*product(ORDERS, [None, *LOAD_ORDERS])])
def test_compare_exchange_hits_only_what_it_expects(success: str, failure: str | None) -> None:
    cell = AtomicPair()
    for old, expected, desired in product(model.EDGES, repeat=3):
        cell.store(old)
        found = cell.compare_exchange(expected, desired, success=success, failure=failure)
        assert found == (old == expected, split(old))
        assert cell.load().as_int == (desired if old == expected else old)


@pytest.mark.parametrize("order", ORDERS)
def test_compare_and_set_says_yes_only_if_it_did(order: str) -> None:
    cell = AtomicPair()
    for old, expected, desired in product(model.EDGES, repeat=3):
        cell.store(old)
        assert cell.compare_and_set(split(expected), split(desired), order) is (old == expected)
        assert cell.load().as_int == (desired if old == expected else old)


@pytest.mark.parametrize(("load", "store"), [*product(LOAD_ORDERS, STORE_ORDERS)])
def test_load_returns_what_store_wrote(load: str, store: str) -> None:
    cell = AtomicPair(7, 8)
    for value in model.EDGES:
        cell.store(value, store)
        assert cell.load(load) == split(value)
        assert (cell.load_lo(load), cell.load_hi(load)) == split(value)


@given(NUMBERS, st.integers(0, 2**64 - 1), st.sampled_from(ORDERS))
def test_halves_add_on_their_own(old: int, by: int, order: str) -> None:
    lo, hi = split(old)
    cell = AtomicPair(lo, hi)
    assert cell.fetch_add_lo(by, order) == lo
    assert cell.load() == ((lo + by) & model.M64, hi)
    assert cell.fetch_add_hi(by, order) == hi
    assert cell.load() == ((lo + by) & model.M64, (hi + by) & model.M64)


def test_bump_replaces_the_pointer_and_counts() -> None:
    cell = AtomicPair(100, 2**64 - 1)
    assert cell.bump(200) == (100, 2**64 - 1)
    assert cell.load() == (200, 0)


@pytest.mark.parametrize(
    "operand",
    [
        (3, 4),
        [3, 4],
        Pair(3, 4),
        3 + (4 << 64),
        np.array([3, 4], np.uint64),
        np.array([(3, 4)], [("lo", "u8"), ("hi", "u8")])[0],
    ],
    ids=lambda operand: type(operand).__name__,
)
def test_an_operand_is_a_pair_two_halves_or_a_number(operand: Any) -> None:
    cell = AtomicPair()
    cell.store(operand)
    assert cell.load() == (3, 4)
    assert cell.compare_and_set(operand, operand)
    assert cell.compare_exchange(operand, operand)[0]


def test_a_numpy_integer_and_a_negative_number_are_numbers() -> None:
    cell = AtomicPair(5, 0)
    assert cell.fetch_add(np.int64(-6)) == (5, 0)
    assert cell.load().as_signed == -1


def test_operands_are_never_written() -> None:
    expected, desired = [1, 2], np.array([3, 4], np.uint64)
    kept = desired.copy()
    cell = AtomicPair(9, 9)
    assert cell.compare_exchange(expected, desired) == (False, (9, 9))
    assert not cell.compare_and_set(expected, desired)
    assert (expected, desired.tolist()) == ([1, 2], kept.tolist())


@pytest.mark.parametrize("operand", ["no", "abc", None, 1.5, (1,), (1, 2, 3), {}, ("1", "2")])
def test_what_is_no_operand_is_a_type_error_and_changes_nothing(operand: Any) -> None:
    cell = AtomicPair(1, 2)
    for call in (
        lambda: cell.store(operand),
        lambda: cell.fetch_add(operand),
        lambda: cell.compare_and_set(operand, (5, 5)),
        lambda: cell.compare_exchange((1, 2), operand),
    ):
        with pytest.raises(TypeError):
            call()
    assert cell.load() == (1, 2)


@pytest.mark.parametrize("operand", [(-1, 0), (0, 2**64), 2**128, -(2**127) - 1])
def test_an_operand_out_of_range_is_an_overflow_error(operand: Any) -> None:
    cell = AtomicPair(1, 2)
    with pytest.raises(OverflowError):
        cell.store(operand)
    with pytest.raises(OverflowError):
        cell.compare_and_set((1, 2), operand)
    with pytest.raises(OverflowError):
        AtomicPair(0, 2**64)
    assert cell.load() == (1, 2)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda c: c.load("release"), "load with order 'release': its orders are relaxed, acqu"),
        (lambda c: c.load_hi("acq_rel"), "load_hi with order 'acq_rel'"),
        (lambda c: c.store(1, "acquire"), "store with order 'acquire': its orders are relaxed, re"),
        (lambda c: c.fetch_xor(1, "consume"), "fetch_xor with order 'consume': its orders are rel"),
        (lambda c: c.compare_and_set(1, 2, ""), "compare_and_set with order ''"),
        (lambda c: c.compare_exchange(1, 2, "x"), "compare_exchange with order 'x'"),
        (
            lambda c: c.compare_exchange(1, 2, "seq_cst", "release"),
            "failure order 'release': a mismatch stores nothing, so its orders are relaxed, acqui",
        ),
        (lambda c: c.fetch_add_lo(1, "weak"), "fetch_add_lo with order 'weak'"),
    ],
)
def test_an_order_that_an_operation_lacks_names_those_it_has(call: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call(AtomicPair())


# Buffers


def aligned(size: int = 256) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Bytes whose first address is divisible by 128, so that offsets mean something."""
    raw = np.zeros(size + 128, np.uint8)
    return raw[-raw.ctypes.data % 128 :][:size]


def test_a_cell_of_its_own_is_padded() -> None:
    from atomics._native import ffi

    cells = [AtomicPair(n) for n in range(50)]
    places = sorted(int(ffi.cast("uintptr_t", cell._cell)) for cell in cells)
    assert all(place % 128 == 0 for place in places)
    assert min(b - a for a, b in pairwise(places)) >= 128


def test_a_cell_over_a_numpy_array_is_its_memory() -> None:
    words = aligned().view(np.uint64)
    cell = AtomicPair.from_buffer(words, 32)
    cell.store((5, 6))
    assert words[4:6].tolist() == [5, 6]
    words[5] = 7
    assert cell.load() == (5, 7)
    assert np.count_nonzero(words) == 2


def test_a_bytearray_is_pinned_while_its_cell_lives() -> None:
    data = bytearray(64)
    cell = AtomicPair.from_buffer(data, -np.frombuffer(data, np.uint8).ctypes.data % 16)
    gc.collect()
    with pytest.raises(BufferError):
        data.extend(b"x" * 4096)
    cell.fetch_add((1, 1))
    del cell
    data.extend(b"x" * 4096)


def test_a_mapping_closes_when_its_cell_is_closed() -> None:
    memory = mmap.mmap(-1, 4096)
    with AtomicPair.from_buffer(memory, 16) as cell:
        cell.store(9)
        with pytest.raises(BufferError):
            memory.close()
    assert memory[16] == 9
    memory.close()
    with pytest.raises(TypeError):
        cell.load()


@pytest.mark.parametrize("offset", [1, 4, 8, 15, 17])
def test_a_misaligned_place_is_refused_and_the_next_good_one_named(offset: int) -> None:
    good = -(-offset // 16) * 16
    with pytest.raises(
        AlignmentError, match=rf"offset {offset} is .* the next is at offset {good}$"
    ):
        AtomicPair.from_buffer(aligned(), offset)


@pytest.mark.parametrize(("size", "offset"), [(15, 0), (16, 16), (32, 32), (0, 0), (64, 1 << 40)])
def test_a_short_buffer_is_refused_with_its_size(size: int, offset: int) -> None:
    with pytest.raises(ValueError, match=rf"buffer of {size} bytes, offset {offset}: 16 bytes"):
        AtomicPair.from_buffer(aligned()[:size], offset)


def test_other_unusable_buffers_are_refused() -> None:
    with pytest.raises(ValueError, match="offset -16"):
        AtomicPair.from_buffer(aligned(), -16)
    with pytest.raises(ValueError, match="not contiguous"):
        AtomicPair.from_buffer(aligned()[::2])
    with pytest.raises(TypeError):
        AtomicPair.from_buffer(17)  # type: ignore[arg-type]


def read_only_page(tmp_path: Path) -> mmap.mmap:
    """A page that the process may not write: a store there is a SIGSEGV."""
    path = tmp_path / "page"
    path.write_bytes(bytes([1] + [0] * 7 + [2] + [0] * 4087))
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return mmap.mmap(descriptor, 4096, access=mmap.ACCESS_READ)
    finally:
        os.close(descriptor)


def test_a_read_only_buffer_is_for_reading_where_the_load_does_not_write(tmp_path: Path) -> None:
    page = read_only_page(tmp_path)
    with pytest.raises(ReadOnlyError, match="read-only; PairReader reads one"):
        AtomicPair.from_buffer(page)
    if load_writes(atomics.backend()):
        with pytest.raises(ReadOnlyError, match=f"a load of backend {atomics.backend()} writes"):
            PairReader.from_buffer(page)
    else:
        with PairReader.from_buffer(page) as reader:
            assert [reader.load(order) for order in LOAD_ORDERS] == [(1, 2)] * 3
            assert (reader.load_lo(), reader.load_hi()) == (1, 2)
            assert not hasattr(reader, "store")
    page.close()


def test_reads_of_a_writable_buffer_work_on_every_backend() -> None:
    words = aligned().view(np.uint64)
    words[:2] = 3, 4
    assert PairReader.from_buffer(words).load() == (3, 4)


# Threads


def test_increments_of_python_threads_are_not_lost() -> None:
    cell = AtomicPair()

    def work() -> None:
        for n in range(300):
            if n % 3 == 0:
                cell.fetch_add((1, 2))
            elif n % 3 == 1:
                seen = cell.load()
                while not cell.compare_and_set(seen, (seen.lo + 1, seen.hi + 2)):
                    seen = cell.load()
            else:
                done, seen = False, cell.load("relaxed")
                while not done:
                    done, seen = cell.compare_exchange(seen, (seen.lo + 1, seen.hi + 2))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cell.load() == (1200, 2400)


OTHERS = [b.name for b in atomics.backends() if b.available and b.name != atomics.backend()]


@pytest.mark.skipif("DWCAS_TEST_ONE_BACKEND" in os.environ, reason="this is one backend's run")
@pytest.mark.parametrize("backend", OTHERS)
def test_all_of_this_holds_on_every_other_backend_too(backend: str) -> None:
    result = subprocess.run(
        [sys.executable, "-P", "-X", "dev", "-m", "pytest", "-q", "-x", __file__],
        env={**os.environ, "DWCAS_BACKEND": backend, "DWCAS_TEST_ONE_BACKEND": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        cwd=Path(__file__).parent.parent.parent,
    )
    assert result.returncode == 0, result.stdout[-2000:]
