# SPDX-License-Identifier: MIT
"""Positions: known vectors, laws, and the NumPy layout against the C one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wal_bench.layout import LAST_BYTEPOS, Layout, lsn_text
from wal_bench.native_layout import NativeLayout

LAYOUTS = pytest.mark.parametrize("kind", [Layout, NativeLayout])

#: bytepos, LSN of a start, LSN of an end; pages of 8 KiB, segments of 16 MiB
VECTORS = [
    (0, 0x28, 0x0),
    (8144, 0x1FF8, 0x1FF8),
    (8152, 0x2018, 0x2000),
    (16312, 0x3FF8, 0x3FF8),
    (16320, 0x4018, 0x4000),
    (16728040, 0xFFFFF8, 0xFFFFF8),
    (16728048, 0x1000028, 0x1000000),
    (33456096, 0x2000028, 0x2000000),
]


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int]:
    page = draw(st.integers(9, 16))
    return 1 << page, 1 << draw(st.integers(page, 30))


@st.composite
def cases(draw: st.DrawFn) -> tuple[tuple[int, int], Any]:
    """Sizes, and positions of which many lie around the boundaries of pages and segments."""
    page, segment = draw(sizes())
    usable = Layout(page, segment).usable_in_segment
    boundary = st.builds(
        lambda number, pages, near: (
            number * usable + (pages and page - 40 + (pages - 1) * (page - 24)) + near
        ),
        st.integers(0, LAST_BYTEPOS // usable),
        st.integers(0, segment // page - 1),
        st.integers(-9, 9),
    )
    position = st.one_of(st.integers(0, LAST_BYTEPOS), boundary)
    drawn = draw(st.lists(position, min_size=1, max_size=20))
    return (page, segment), np.clip(np.array(drawn, object), 0, LAST_BYTEPOS).astype(np.uint64)


@LAYOUTS
@pytest.mark.parametrize(("bytepos", "start", "end"), VECTORS)
def test_known_positions(kind: Any, bytepos: int, start: int, end: int) -> None:
    layout = kind()
    assert layout.usable_in_segment == 16728048
    assert int(layout.start_lsn(bytepos)) == start
    assert int(layout.end_lsn(bytepos)) == end
    assert layout.bytepos([start, end]).tolist() == [bytepos, bytepos]


@LAYOUTS
@pytest.mark.parametrize("page", [512, 1024])
@pytest.mark.parametrize("pages", [1, 2, 8])
def test_every_byte_of_three_segments_in_turn(kind: Any, page: int, pages: int) -> None:
    """The brute force: walk all bytes of the log and count those that are not in a header."""
    segment = page * pages
    starts, ends = [], []
    for lsn in range(3 * segment):
        in_page = lsn % page
        header = 40 if lsn % segment < page else 24
        if in_page == header:
            ends.append(lsn - header)
        elif in_page > header:
            ends.append(lsn)
        if in_page >= header:
            starts.append(lsn)
    layout, all_bytes = kind(page, segment), np.arange(len(starts))
    assert len(starts) == 3 * layout.usable_in_segment
    assert layout.start_lsn(all_bytes).tolist() == starts
    assert layout.end_lsn(all_bytes).tolist() == ends
    assert layout.bytepos(starts).tolist() == layout.bytepos(ends).tolist() == all_bytes.tolist()
    inside = set(range(3 * segment)) - set(starts) - set(ends)
    for lsn in inside:
        with pytest.raises(ValueError, match="inside a page header"):
            layout.bytepos(lsn)


@LAYOUTS
@given(case=cases())
def test_there_and_back(kind: Any, case: Any) -> None:
    sizes, positions = case
    layout = kind(*sizes)
    np.testing.assert_array_equal(layout.bytepos(layout.start_lsn(positions)), positions)
    np.testing.assert_array_equal(layout.bytepos(layout.end_lsn(positions)), positions)


@LAYOUTS
@given(case=cases())
def test_a_start_and_an_end_differ_at_the_beginning_of_a_page_by_its_header(
    kind: Any, case: Any
) -> None:
    (page, segment), positions = case
    layout = kind(page, segment)
    for start, end in zip(
        layout.start_lsn(positions).tolist(), layout.end_lsn(positions).tolist(), strict=True
    ):
        header = 40 if start % segment < page else 24
        assert start % page >= header
        assert start - end == (header if start % page == header else 0)


@LAYOUTS
@given(case=cases())
def test_a_later_byte_lies_later_and_nothing_but_headers_between(kind: Any, case: Any) -> None:
    (page, segment), positions = case
    layout = kind(page, segment)
    positions = positions[positions < LAST_BYTEPOS]
    here, after = layout.start_lsn(positions), layout.start_lsn(positions + np.uint64(1))
    ends = layout.end_lsn(positions + np.uint64(1))
    np.testing.assert_array_equal(ends - here, np.ones_like(here))
    assert set((after - here).tolist()) <= {1, 25, 41}


@given(case=cases())
def test_c_and_numpy_agree(case: Any) -> None:
    sizes, positions = case
    python, native = Layout(*sizes), NativeLayout(*sizes)
    assert python.usable_in_segment == native.usable_in_segment
    np.testing.assert_array_equal(python.start_lsn(positions), native.start_lsn(positions))
    np.testing.assert_array_equal(python.end_lsn(positions), native.end_lsn(positions))


@given(sizes=sizes(), lsns=st.lists(st.integers(0, 2**64 - 1), min_size=1))
def test_c_and_numpy_agree_on_any_lsn(sizes: tuple[int, int], lsns: list[int]) -> None:
    def answer(layout: Any) -> list[int] | str:
        try:
            return list(layout.bytepos(np.array(lsns, np.uint64)))
        except ValueError as error:
            return str(error)

    assert answer(Layout(*sizes)) == answer(NativeLayout(*sizes))


@LAYOUTS
def test_shapes_are_kept(kind: Any) -> None:
    layout = kind()
    positions = np.arange(6, dtype=np.uint64).reshape(2, 3)
    assert layout.start_lsn(positions).shape == (2, 3)
    assert layout.end_lsn(positions.T).tolist() == layout.end_lsn(positions).T.tolist()
    assert layout.bytepos(layout.start_lsn(positions)).tolist() == positions.tolist()
    assert layout.start_lsn(np.array([], np.uint64)).size == 0


@LAYOUTS
@pytest.mark.parametrize("wrong", [-1, LAST_BYTEPOS + 1, [1, -5]])
def test_positions_out_of_range_are_refused(kind: Any, wrong: Any) -> None:
    for function in (kind().start_lsn, kind().end_lsn):
        with pytest.raises(ValueError, match=r"position -\d: not negative|at most 2\^62"):
            function(wrong)


@LAYOUTS
@pytest.mark.parametrize("wrong", [1.0, "0/28", 2**64])
def test_positions_that_are_no_whole_numbers_are_refused(kind: Any, wrong: Any) -> None:
    with pytest.raises(TypeError):
        kind().bytepos(wrong)


@LAYOUTS
@pytest.mark.parametrize("wrong", [(256, 4096), (1000, 8000), (8192, 4096), (8192, 3 << 20)])
def test_sizes_that_cannot_be_are_refused(kind: Any, wrong: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="a power of two from"):
        kind(*wrong)


def test_the_page_on_positions_shows_the_known_ones() -> None:
    page = (Path(__file__).parents[2] / "docs" / "layout.md").read_text()
    rows = re.findall(r"^\| (\d+) \| (0x\w+) \| (0x\w+) \|", page, re.M)
    assert [tuple(int(cell, 0) for cell in row) for row in rows] == VECTORS


def test_lsns_are_written_as_postgresql_does() -> None:
    assert lsn_text(0x1DC6C20) == "0/1DC6C20"
    assert lsn_text(0x16_B374D848) == "16/B374D848"
