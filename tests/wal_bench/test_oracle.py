# SPDX-License-Identifier: MIT
"""The oracle on made-up runs: right ones pass, each kind of damage is found and named.

The brute force here compares every pair of operations, in plain Python.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wal_bench import engine, oracle
from wal_bench.dtypes import HISTORY_DTYPE, LATENCY_DTYPE, THREAD_DTYPE
from wal_bench.findings import Finding

TIP = 1 << 20
PREV = TIP - 64
MODULUS = 1 << 64


@dataclass(frozen=True)
class Operation:
    begin: int
    finish: int
    start: int
    end: int
    prev: int
    size: int


def right(count: int, seed: int, tip: int = TIP) -> list[Operation]:
    """Operations in the order they took effect; their calls overlap as those of a few threads."""
    rng = random.Random(seed)
    made, prev, moment = [], tip - 64, 1000
    for _ in range(count):
        size = 8 * rng.randint(4, 64)
        moment += rng.randint(1, 20)  # when it takes effect
        made.append(
            Operation(
                moment - rng.randint(0, 30),
                moment + rng.randint(0, 30),
                tip,
                tip + size,
                prev,
                size,
            )
        )
        prev, tip = tip, tip + size
    return made


def array(operations: list[Operation], seed: int = 0) -> np.ndarray[Any, np.dtype[np.void]]:
    mixed = random.Random(seed).sample(operations, len(operations))
    rows = [(o.begin, o.finish, o.start, o.end, o.prev, o.size) for o in mixed]
    return np.array(rows, HISTORY_DTYPE)


def rules(operations: list[Operation], **changes: Any) -> set[str]:
    return {finding.rule for finding in findings(operations, **changes)}


def findings(operations: list[Operation], **changes: Any) -> list[Finding]:
    state: dict[str, Any] = {
        "start_tip": TIP,
        "start_prev": PREV,
        "end_tip": max((o.end for o in operations), default=TIP),
        "end_prev": max((o.start for o in operations), default=PREV),
        "links": True,
    }
    return oracle.check_history(array(operations), **(state | changes))


@given(st.integers(0, 200), st.integers(0, 10**6))
def test_a_right_history_passes(count: int, seed: int) -> None:
    assert findings(right(count, seed)) == []


def damaged(index: int, **changes: int) -> list[Operation]:
    made = right(50, 1)
    made[index] = replace(made[index], **changes)
    return made


def test_a_gap_is_found_and_its_first_offender_named() -> None:
    made = right(50, 1)
    later = [replace(o, start=o.start + 8, end=o.end + 8) for o in made[20:]]
    found = [f for f in findings(made[:20] + later) if f.rule == "tile"]
    assert found[0].text.startswith(f"record starts at {later[0].start}, the one before ends at")


def test_an_overlap_is_found() -> None:
    made = right(50, 1)
    assert "tile" in rules(damaged(20, start=made[20].start - 8, size=made[20].size + 8))


def test_the_same_place_given_twice_is_found() -> None:
    made = right(50, 1)
    assert "tile" in rules([*made, replace(made[20], begin=5000, finish=5001)])


def test_a_missing_record_is_found_even_the_last() -> None:
    made = right(50, 1)
    assert "tile" in rules(made[:20] + made[21:])
    assert rules(made[:-1], end_tip=made[-1].end, end_prev=made[-1].start) == {"end-state"}


@pytest.mark.parametrize("by", [8, -8])
def test_a_wrong_size_is_found(by: int) -> None:
    made = right(50, 1)
    found = findings(damaged(7, size=made[7].size + by))
    assert [f.rule for f in found] == ["size"]
    assert f"record at {made[7].start} ends at {made[7].end}" in found[0].text


def test_a_wrong_link_is_found_and_how_many() -> None:
    made = right(50, 1)
    made[7], made[9] = replace(made[7], prev=made[9].prev), replace(made[9], prev=made[7].prev)
    found = findings(made)
    assert [f.rule for f in found] == ["prev"]
    assert f"record at {made[7].start} links to {made[7].prev}" in found[0].text
    assert found[0].text.endswith("(2 in all)")
    assert findings(made, links=False) == []


def test_a_wrong_first_link_is_found() -> None:
    assert rules(damaged(0, prev=0)) == {"prev"}


def test_a_wrong_end_state_is_found() -> None:
    made = right(50, 1)
    assert rules(made, end_tip=made[-1].end + 8) == {"end-state"}
    assert rules(made, end_prev=made[-1].end) == {"end-state"}
    assert rules([], end_tip=TIP + 8) == {"end-state"}


def test_an_operation_placed_before_one_that_had_returned_is_found() -> None:
    made = right(50, 1)
    found = findings(damaged(10, begin=made[12].finish + 1, finish=made[12].finish + 9))
    assert [f.rule for f in found] == ["real-time"]
    assert f"record at {made[10].start} began at" in found[0].text


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6)), min_size=1, max_size=9))
def test_real_time_agrees_with_comparing_every_pair(times: list[tuple[int, int]]) -> None:
    made = [
        replace(o, begin=begin, finish=begin + length)
        for o, (begin, length) in zip(right(len(times), 5), times, strict=True)
    ]
    wrong = any(left.begin > later.finish for n, left in enumerate(made) for later in made[n + 1 :])
    assert ("real-time" in rules(made)) == wrong


FIELDS = st.sampled_from(["start", "end", "prev", "size"])


@given(st.integers(1, 30), st.integers(0, 29), FIELDS, st.integers(-300, 300).filter(bool))
def test_any_single_wrong_value_is_found(count: int, index: int, field: str, by: int) -> None:
    made = right(count, 3)
    state = {"end_tip": made[-1].end, "end_prev": made[-1].start}
    victim = made[index % count]
    made[index % count] = replace(victim, **{field: (getattr(victim, field) + 8 * by) % MODULUS})
    assert rules(made, **state)


def window(operations: list[Operation], threads: int = 3, **changes: Any) -> engine.Window:
    """Sums as Python integers, dealt to threads in turn."""
    rows = np.zeros(threads, THREAD_DTYPE)
    for thread in range(threads):
        own = operations[thread::threads]
        rows[thread]["ops"] = rows[thread]["total_ops"] = len(own)
        rows[thread]["sum_size"] = sum(o.size for o in own) % MODULUS
        rows[thread]["sum_start_end"] = sum(o.start**2 - o.end**2 for o in own) % MODULUS
        rows[thread]["sum_links"] = sum(o.prev * o.start - o.start * o.end for o in own) % MODULUS
    made = engine.Window(
        plan=engine.WindowPlan("spin", (-1,) * threads, np.array([64], "u4"), np.zeros(3, "u4")),
        status="ok",
        start_ns=0,
        stop_ns=1,
        stamp_gap_ns=0,
        drain_ns=0,
        start_tip=operations[0].start,
        start_prev=operations[0].prev,
        end_tip=operations[-1].end,
        end_prev=operations[-1].start,
        threads=rows,
        latency=np.empty(0, LATENCY_DTYPE),
        latency_max_ns=0.0,
        history=None,
    )
    return replace(made, **changes)


def sum_rules(operations: list[Operation], links: bool = True, **changes: Any) -> set[str]:
    return {finding.rule for finding in oracle.check_sums(window(operations, **changes), links)}


@given(st.integers(1, 100), st.integers(0, 10**6), st.sampled_from([TIP, (1 << 63) + 8, 1 << 40]))
def test_the_sums_of_a_right_run_telescope(count: int, seed: int, tip: int) -> None:
    assert sum_rules(right(count, seed, tip)) == set()


def test_sums_find_a_size_changed_a_record_lost_and_one_given_twice() -> None:
    made = right(60, 2)
    state = {"end_tip": made[-1].end, "end_prev": made[-1].start}
    changed = [replace(made[30], size=made[30].size + 8)]
    assert sum_rules(made[:30] + changed + made[31:]) == {"sum-size"}
    assert "sum-size" in sum_rules(made[:30] + made[31:], **state)
    assert "sum-size" in sum_rules([*made[:31], made[30], *made[31:]])


def test_sums_find_links_handed_to_the_wrong_records() -> None:
    """The set of links is right, so that a sum of start^2 - prev^2 would telescope."""
    made = right(60, 2)
    made[7], made[9] = replace(made[7], prev=made[9].prev), replace(made[9], prev=made[7].prev)
    blind = sum(o.start**2 - o.prev**2 for o in made)
    assert blind == made[-1].start ** 2 - PREV**2
    assert sum_rules(made) == {"sum-links"}
    assert sum_rules(made, links=False) == set()


@given(
    st.sampled_from(["sum_size", "sum_start_end", "sum_links"]),
    st.integers(0, 2),
    st.integers(1, MODULUS - 1),
)
def test_any_wrong_sum_is_found(name: str, thread: int, by: int) -> None:
    made = window(right(60, 2))
    made.threads[name][thread] = (int(made.threads[name][thread]) + by) % MODULUS
    assert [f.rule for f in oracle.check_sums(made, True)] == [name.replace("_", "-")]


def test_a_count_above_its_total_is_found() -> None:
    made = window(right(60, 2))
    made.threads["ops"][1] = 61
    assert [f.rule for f in oracle.check_sums(made, True)] == ["count"]


def test_a_window_with_a_history_is_checked_by_both() -> None:
    made = right(60, 2)
    rows = np.zeros((3, 40), HISTORY_DTYPE)
    for thread in range(3):
        rows[thread, :20] = array(made[thread::3])
    whole = window(made, history=rows)
    assert oracle.check_window(whole, True) == []
    rows["prev"][1, 5] += 8
    assert [f.rule for f in oracle.check_window(whole, True)] == ["prev"]


def test_twenty_million_intervals_take_less_than_twenty_seconds() -> None:
    count = 20_000_000
    rng = np.random.default_rng(1)
    history = np.zeros(count, HISTORY_DTYPE)
    history["size"] = 8 * rng.integers(4, 64, count)
    history["end"] = TIP + np.cumsum(history["size"])
    history["start"] = history["end"] - history["size"]
    history["prev"][0], history["prev"][1:] = PREV, history["start"][:-1]
    history["begin_ns"] = np.arange(count) * 10
    history["finish_ns"] = history["begin_ns"] + 25
    # As the engine leaves it: threads one after the other, each ascending.
    history = np.concatenate([history[thread::8] for thread in range(8)])
    end = {"end_tip": int(history["end"].max()), "end_prev": int(history["start"].max())}
    begin = time.process_time()
    found = oracle.check_history(history, start_tip=TIP, start_prev=PREV, links=True, **end)
    assert found == []
    assert time.process_time() - begin < 20
