# SPDX-License-Identifier: MIT
"""Batches against the single operations' model, and shared memory by name."""

from __future__ import annotations

import gc
import mmap
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomics import PAIR_DTYPE, AlignmentError, PairArray, shared
from atomics.orders import FETCHES
from atomics.pair_array import pairs
from tests.atomics import model

CELLS = 7
NUMBERS = st.integers(0, 2**128 - 1)


def split(number: int) -> tuple[int, int]:
    return number & model.M64, number >> 64


def as_pairs(numbers: list[int]) -> Any:
    return np.array([split(n) for n in numbers], PAIR_DTYPE)


def as_numbers(array: Any) -> list[int]:
    return [int(lo) | int(hi) << 64 for lo, hi in array]


def filled(padded: bool, numbers: list[int]) -> PairArray:
    array = PairArray(len(numbers), padded=padded)
    array.fetch_many("exchange", None, as_pairs(numbers))
    return array


@given(
    st.booleans(),
    st.sampled_from(FETCHES),
    st.lists(NUMBERS, min_size=CELLS, max_size=CELLS),
    st.lists(st.tuples(st.integers(0, CELLS - 1), NUMBERS), max_size=30),
)
def test_a_batch_does_its_elements_in_order(
    padded: bool, name: str, start: list[int], todo: list[tuple[int, int]]
) -> None:
    array, expected, old = filled(padded, start), list(start), []
    for index, operand in todo:
        old.append(expected[index])
        expected[index] = model.FETCH[name](expected[index], operand)
    indices = np.array([index for index, _ in todo], np.int64)
    given_pairs = as_pairs([operand for _, operand in todo])
    assert as_numbers(array.fetch_many(name, indices, given_pairs)) == old
    assert as_numbers(array.load_many()) == expected
    assert [array[n].load().as_int for n in range(CELLS)] == expected


@given(
    st.lists(NUMBERS, min_size=CELLS, max_size=CELLS),
    st.lists(st.tuples(st.integers(0, CELLS - 1), st.booleans(), NUMBERS, NUMBERS), max_size=30),
)
def test_a_batch_of_compare_exchanges(
    start: list[int], todo: list[tuple[int, bool, int, int]]
) -> None:
    array, now = filled(True, start), list(start)
    expected, hits, observed = [], [], []
    for index, right, guess, desired in todo:
        expected.append(now[index] if right else guess)
        observed.append(now[index])
        hits.append(now[index] == expected[-1])
        now[index] = desired if hits[-1] else now[index]
    hit, seen = array.compare_exchange_many(
        np.array([t[0] for t in todo], np.int64), as_pairs(expected), as_pairs([t[3] for t in todo])
    )
    assert hit.tolist() == hits
    assert as_numbers(seen) == observed
    assert as_numbers(array.load_many()) == now


def test_fetch_add_many_is_fetch_add() -> None:
    array = PairArray(3)
    assert array.fetch_add_many([0, 0, 2], [(1, 2), (3, 4), (5, 6)]).tolist() == [
        (0, 0),
        (1, 2),
        (0, 0),
    ]
    assert array.load_many([0, 2]).tolist() == [(4, 6), (5, 6)]


@pytest.mark.parametrize("padded", [True, False])
def test_cells_are_as_far_apart_as_promised(padded: bool) -> None:
    memory = np.zeros(128 * 5, np.uint8)
    array = PairArray(4, padded=padded)
    assert array._stride == (128 if padded else 16)
    array[2].store((1, 2))
    assert as_numbers(array.load_many()) == [0, 0, 1 | 2 << 64, 0]
    assert memory.sum() == 0
    assert len(array) == 4


def test_an_array_over_a_buffer_is_its_memory() -> None:
    raw = np.zeros(1024, np.uint8)
    words = raw[-raw.ctypes.data % 16 :][:512].view(np.uint64)
    array = PairArray.from_buffer(words, 3, offset=32, stride=48)
    array.fetch_many("exchange", [0, 1, 2], [(1, 2), (3, 4), (5, 6)])
    assert words[[4, 5, 10, 11, 16, 17]].tolist() == [1, 2, 3, 4, 5, 6]
    assert int(words.sum()) == 21


def test_a_pair_of_an_array_outlives_it() -> None:
    pair = PairArray(100)[41]
    gc.collect()
    churn = [PairArray(100) for _ in range(50)]
    pair.store((7, 8))
    assert pair.load() == (7, 8)
    assert all(as_numbers(array.load_many()) == [0] * 100 for array in churn)


@pytest.mark.parametrize(
    ("indices", "error", "said"),
    [
        ([0, CELLS], IndexError, f"index {CELLS}: there are {CELLS} pairs"),
        ([-1], IndexError, "index -1"),
        ([2**63], IndexError, f"index {2**63}"),
        ([0.5], TypeError, "indices of float64"),
        ([[0]], TypeError, r"shape \(1, 1\)"),
    ],
)
def test_a_bad_index_is_refused_before_anything_is_done(
    indices: Any, error: type[Exception], said: str
) -> None:
    array = PairArray(CELLS)
    with pytest.raises(error, match=said):
        array.fetch_add_many(indices, [(1, 1)] * len(indices))
    assert as_numbers(array.load_many()) == [0] * CELLS


@pytest.mark.parametrize(
    ("values", "error"),
    [([1, 2], ValueError), ([(1, 2, 3)], ValueError), ([(1.5, 2.0)], ValueError),
     ([(-1, 2)], OverflowError), ("ab", ValueError)],
)  # fmt: skip
def test_what_is_no_array_of_pairs_is_refused(values: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        pairs(values)


def test_operands_must_be_as_many_as_indices_and_known_by_name() -> None:
    array = PairArray(CELLS)
    with pytest.raises(ValueError, match="1 pairs for 2 indices"):
        array.fetch_add_many([0, 1], [(1, 1)])
    with pytest.raises(ValueError, match="'fetch_mul': one of exchange, fetch_add"):
        array.fetch_many("fetch_mul", [0], [(1, 1)])
    with pytest.raises(ValueError, match="load with order 'release'"):
        array.load_many(order="release")
    with pytest.raises(ValueError, match="n 0: a PairArray has at least one"):
        PairArray(0)
    with pytest.raises(IndexError, match="index 7: there are 7 pairs"):
        array[7]
    with pytest.raises(AlignmentError):
        PairArray.from_buffer(mmap.mmap(-1, 4096), 2, offset=8)
    with pytest.raises(ValueError, match="stride 24"):
        PairArray.from_buffer(mmap.mmap(-1, 4096), 2, stride=24)


def test_results_go_where_the_caller_wants() -> None:
    array = PairArray(3)
    room, hits = np.empty(2, PAIR_DTYPE), np.empty(2, np.bool_)
    assert array.fetch_add_many([0, 1], [(1, 2), (3, 4)], out=room) is room
    assert array.load_many([1, 0], out=room) is room
    assert room.tolist() == [(3, 4), (1, 2)]
    found = array.compare_exchange_many([0, 0], [(1, 2)] * 2, [(9, 9)] * 2, out=(hits, room))
    assert found[0] is hits
    assert found[1] is room
    assert (hits.tolist(), room.tolist()) == ([True, False], [(1, 2), (9, 9)])
    for bad in (np.empty(3, PAIR_DTYPE), np.empty(2, "u8"), np.empty(4, PAIR_DTYPE)[::2], [1, 2]):
        with pytest.raises(ValueError, match="out: a contiguous, writable array of"):
            array.load_many([0, 1], out=bad)  # type: ignore[arg-type]


def test_operands_are_never_written() -> None:
    array, values = PairArray(2), as_pairs([5, 6])
    kept = values.copy()
    array.compare_exchange_many([0, 1], values, values)
    array.fetch_many("fetch_nand", [0, 1], values)
    assert values.tolist() == kept.tolist()


def test_an_array_is_found_by_its_name_until_it_is_unlinked() -> None:
    first = PairArray.create(None, 5)
    try:
        assert first.name is not None
        second = PairArray.attach(first.name)
        first.fetch_add_many([4], [(1, 2)])
        assert len(second) == 5
        assert second[4].load() == (1, 2)
        with pytest.raises(FileExistsError):
            PairArray.create(first.name, 5)
    finally:
        first.unlink()
    with pytest.raises(FileNotFoundError):
        PairArray.attach(first.name)
    assert second[4].fetch_add(1) == (1, 2)
    first.close()
    with pytest.raises(TypeError):
        first.load_many()
    second.close()


def test_a_pair_in_use_keeps_shared_memory_open() -> None:
    array = PairArray.create(None, 5)
    array.unlink()
    pair = array[0]
    with pytest.raises(BufferError):
        array.close()
    del pair
    array.close()


@pytest.mark.parametrize("content", [b"\0" * 10, b"\0" * 4096, b"dwcas\0\0\1" + b"\xff" * 4088])
def test_other_shared_memory_is_not_attached(content: bytes) -> None:
    name = "dwcas-test-other"
    memory = shared.create(name, len(content))
    try:
        memory[:] = content
        with pytest.raises(ValueError, match="'dwcas-test-other' holds no PairArray"):
            PairArray.attach(name)
    finally:
        shared.remove(name)
        memory.close()


@pytest.mark.parametrize("name", ["", "a/b", "..", "x\0y"])
def test_a_name_that_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="of shared memory"):
        PairArray.attach(name)
