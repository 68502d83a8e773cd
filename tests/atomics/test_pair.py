# SPDX-License-Identifier: MIT
"""The value type."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomics import Pair

WORDS = st.integers(0, 2**64 - 1)


@given(WORDS, WORDS)
def test_a_pair_is_a_tuple_of_two_words_and_a_number(lo: int, hi: int) -> None:
    pair = Pair(lo, hi)
    assert (pair.lo, pair.hi) == tuple(pair) == (lo, hi) == pair
    assert pair.as_int == hi * 2**64 + lo
    assert Pair.from_int(pair.as_int) == pair
    assert Pair.from_int(pair.as_signed) == pair
    assert -(2**127) <= pair.as_signed < 2**127
    assert pickle.loads(pickle.dumps(pair)) == pair
    assert eval(repr(pair)) == pair


def test_a_pair_cannot_be_changed() -> None:
    pair = Pair(1, 2)
    with pytest.raises(AttributeError):
        pair.lo = 5  # type: ignore[misc]
    with pytest.raises(AttributeError):
        pair.other = 5  # type: ignore[attr-defined]
    assert hash(pair) == hash(Pair(1, 2))


@pytest.mark.parametrize(("lo", "hi", "name"), [(-1, 0, "lo"), (2**64, 0, "lo"), (0, -1, "hi")])
def test_a_half_out_of_range_is_named(lo: int, hi: int, name: str) -> None:
    with pytest.raises(OverflowError, match=rf"{name} -?\d+: a half of a pair is 0 to 2\^64 - 1"):
        Pair(lo, hi)


@pytest.mark.parametrize("number", [2**128, -(2**127) - 1])
def test_a_number_out_of_range_is_named(number: int) -> None:
    with pytest.raises(OverflowError, match=f"{number}: a pair as a number is"):
        Pair.from_int(number)
