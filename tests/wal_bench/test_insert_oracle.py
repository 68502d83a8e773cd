# SPDX-License-Identifier: MIT
"""The oracle of whole insertions on made-up runs: right ones pass, each broken rule is named."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wal_bench.made_insertions import (
    LAYOUT,
    NO_GATE,
    SEGMENT,
    USABLE,
    Made,
    committing,
    insertions,
    result,
    right,
)
from wal_bench import oracle
from wal_bench.dtypes import HISTORY_DTYPE, INSERTION_DTYPE
from wal_bench.findings import Finding
from wal_bench.insert import InsertPlan, InsertResult
from wal_bench.insert_oracle import check_insertions
from wal_bench.insertions import Insertions

MS = 1_000_000


def findings(made: list[Made], plan: InsertPlan, **changes: int) -> list[Finding]:
    """Of the reservations and of what is around them."""
    x = insertions(made, plan)
    return check_insertions(x, result(made, plan, **changes)) + oracle.check_history(
        x.history,
        start_tip=SEGMENT,
        start_prev=SEGMENT - 64,
        end_tip=x.end_tip,
        end_prev=max(m.start for m in made),
        links=True,
        inserted=x.inserted,
    )


def rules(made: list[Made], plan: InsertPlan, **changes: int) -> set[str]:
    return {finding.rule for finding in findings(made, plan, **changes)}


@given(
    threads=st.integers(1, 5),
    each=st.integers(1, 15),
    seed=st.integers(0, 10**6),
    tick=st.sampled_from([1, 9, 5 * MS]),
    gates=st.sampled_from([0, 1, 2, 8]),
    switch_every=st.integers(0, 4),
    commit_every=st.integers(0, 3),
    files=st.booleans(),
)
def test_a_right_run_passes(
    threads: int, each: int, seed: int, tick: int, files: bool, **plan: Any
) -> None:
    if not plan["gates"]:
        plan["switch_every"] = 0
    plan["directory"] = Path("nowhere") if files else None
    assert findings(*right(each, threads, seed, tick, **plan)) == []


def test_made_up_runs_have_what_is_to_be_tested() -> None:
    made, plan = right(30, 3, switch_every=4)
    assert 3 < sum(m.switched for m in made) < 8
    assert any(m.seen != max((o.end for o in made if o.copied_ns < m.seen_ns), default=SEGMENT)
               for m in made)  # fmt: skip
    ends = {m.end for m in made}
    assert {m.seen for m in made} - ends - {SEGMENT}, "none saw a part"
    assert len({m.gate for m in made}) == plan.gates


@pytest.mark.parametrize(
    ("step", "before"),
    [
        ("asked_ns", "begin_ns"),
        ("seen_ns", "asked_ns"),
        ("published_ns", "copied_ns"),
        ("finish_ns", "published_ns"),
    ],
)
def test_steps_out_of_order_are_found(step: str, before: str) -> None:
    made, plan = right(6, 1)
    setattr(made[3], step, getattr(made[3], before) - 1)
    found = findings(made, plan)
    assert {f.rule for f in found} == {"order"}
    assert f"record at {made[3].start}" in found[0].text


def test_a_thread_that_began_before_its_last_insertion_ended_is_found() -> None:
    made, plan = right(6, 1)
    made[3].begin_ns = made[2].finish_ns - 1
    assert rules(made, plan) == {"order"}


@pytest.mark.parametrize("step", ["reserved_ns", "copied_ns"])
def test_steps_that_others_depend_on_are_found_out_of_order(step: str) -> None:
    made, plan = right(6, 1)
    made[3].reserved_ns, made[3].copied_ns = made[3].copied_ns, made[3].reserved_ns
    assert "order" in rules(made, plan)


def test_two_in_one_gate_are_found() -> None:
    made, plan = right(1, 2, gates=2)
    first, second = sorted(made, key=lambda m: m.start)
    for m in made:
        m.gate, m.seen = 1, SEGMENT
        m.begin_ns, m.asked_ns, m.seen_ns, m.reserved_ns = range(1000, 1004)
        m.copied_ns, m.published_ns, m.finish_ns = range(1010, 1013)
    first.reserved_ns, first.copied_ns, first.published_ns = range(1003, 1006)
    second.reserved_ns = first.published_ns
    assert rules(made, plan) == set()
    second.reserved_ns -= 1
    assert rules(made, plan) == {"gate"}
    second.gate = 0
    assert rules(made, plan) == set()


@pytest.mark.parametrize(("gates", "gate"), [(0, 0), (2, 2), (2, NO_GATE)])
def test_a_gate_that_is_none_is_found(gates: int, gate: int) -> None:
    made, plan = right(gates=gates)
    made[7].gate = gate
    assert rules(made, plan) == {"gate"}


def test_an_insertion_beside_a_switch_is_found() -> None:
    made, plan = right(20, 3, gates=2, switch_every=4)
    switch = next(m for m in made if m.switched)
    after = min((m for m in made if m.start >= switch.end), key=lambda m: m.start)
    assert after.gate != NO_GATE
    switch.gate = 1 - after.gate
    switch.published_ns = after.reserved_ns + 1
    switch.finish_ns = max(switch.finish_ns, switch.published_ns)
    found = rules(made, plan)
    assert "gate" in found
    assert found <= {"gate", "order"}


def at_boundary() -> tuple[list[Made], InsertPlan]:
    """One thread whose third insertion, a switch in turn, finds the segment full."""
    made, plan = right(5, 1, switch_every=3)
    move(made, [(0, 400), (400, USABLE), (USABLE, USABLE + 80)])
    made[2].switched, made[2].gate, made[2].size = 0, 0, 80
    return made[:3], plan


def move(made: list[Made], places: list[tuple[int, int]]) -> None:
    prev = SEGMENT - 64
    for m, (start, end) in zip(made, places, strict=False):
        m.start, m.end, m.prev = SEGMENT + start, SEGMENT + end, prev
        m.size = m.end - m.start
        m.seen, prev = m.start, m.start


def test_a_switch_is_left_out_at_a_segments_beginning_only() -> None:
    made, plan = at_boundary()
    assert rules(made, plan) == set()
    move(made, [(0, 400), (400, USABLE - 8), (USABLE - 8, USABLE + 80)])
    found = findings(made, plan)
    assert [f.rule for f in found] == ["switch"]
    assert f"record at {SEGMENT + USABLE - 8} was to be a switch" in found[0].text


def test_a_switch_at_a_segments_beginning_is_found() -> None:
    made, plan = at_boundary()
    made[2].switched, made[2].end = 1, SEGMENT + 2 * USABLE
    assert rules(made, plan) == {"switch"}


@pytest.mark.parametrize("left", [8, 16, 24, 32, 1000])
def test_a_switch_ends_its_segment_or_the_next_if_its_header_lies_there(left: int) -> None:
    made, plan = at_boundary()
    end = 2 * USABLE if left < 24 else USABLE
    move(made, [(0, 400), (400, USABLE - left), (USABLE - left, end)])
    made[2].switched, made[2].size, made[2].gate = 1, 32, plan.gates - 1
    assert rules(made, plan) == set()
    made[2].end += 8
    assert rules(made, plan) == {"switch"}
    made[2].end += USABLE - 8
    assert rules(made, plan) == {"switch"}


def test_a_switch_out_of_turn_is_found() -> None:
    made, plan = right(9, 2, switch_every=4)
    assert rules(made, replace(plan, switch_every=3)) == {"switch"}
    assert rules(made, replace(plan, switch_every=0)) == {"switch"}


def test_an_interval_of_another_size_is_found_unless_it_is_a_switch() -> None:
    made, plan = right(9, 2, switch_every=4)
    other = next(m for m in made if not m.switched)
    other.size += 8
    assert rules(made, plan) == {"size"}


def test_real_time_order_is_that_of_the_reservations() -> None:
    """The first was still copying when the second began, and has the higher place."""
    made, plan = right(1, 2, gates=0)
    first, second = sorted(made, key=lambda m: m.start)
    for m, begin in ((first, 100 * MS), (second, 100 * MS + 3)):
        m.begin_ns, m.asked_ns, m.seen_ns, m.reserved_ns = range(begin, begin + 4)
        m.copied_ns, m.published_ns, m.finish_ns = range(101 * MS, 101 * MS + 3)
        m.seen = SEGMENT
    assert rules(made, plan) == set()
    first.begin_ns, first.asked_ns, first.seen_ns, first.reserved_ns = range(
        100 * MS + 5, 100 * MS + 9
    )
    assert rules(made, plan) == {"real-time"}


@given(st.integers(0, 10**6), st.integers(0, 59))
def test_the_watermark_must_not_count_what_is_not_complete(seed: int, number: int) -> None:
    """Against a walk over all records, for an answer that lies at any end of a record."""
    made, plan = right(12, 5, seed)
    other = made[(number * 7) % len(made)]
    victim = made[number]
    victim.seen = other.end
    wrong = any(
        (m.end <= victim.seen and m.copied_ns > victim.seen_ns)
        or (m.start < victim.seen < m.end and m.reserved_ns > victim.seen_ns)
        for m in made
    )
    found = rules(made, plan) - {"watermark-back"}
    assert found == ({"watermark-early"} if wrong else set())


def test_a_watermark_inside_a_record_needs_the_beginning_of_a_page_and_the_record_its_place() -> (
    None
):
    made, plan = right(12, 3, 7)
    saw = next(m for m in made if m.seen not in {o.end for o in made} | {SEGMENT})
    cut = next(m for m in made if m.start < saw.seen < m.end)
    saw.seen += 8
    assert rules(made, plan) == {"watermark-range"}
    saw.seen -= 8
    assert rules(made, replace(plan, copy=False)) == {"watermark-range"}
    cut.reserved_ns = saw.seen_ns + 1
    assert {"watermark-early"} <= rules(made, plan) <= {"watermark-early", "order", "gate", "ring"}


@pytest.mark.parametrize("seen", [SEGMENT - 8, 0, 2**64 - 8, 1 << 62])
def test_a_watermark_outside_of_the_log_is_found(seen: int) -> None:
    made, plan = right(12, 3)
    made[20].seen = seen
    found = rules(made, plan)
    assert "watermark-range" in found
    assert found <= {"watermark-range", "watermark-early", "watermark-back"}


@given(st.integers(0, 10**6), st.integers(0, 35), st.integers(0, 35))
def test_the_watermark_must_not_go_back(seed: int, number: int, other: int) -> None:
    """Against a comparison of every pair of answers."""
    made, plan = right(12, 3, seed)
    made[number].seen = min(made[number].seen, made[other].seen)
    wrong = any(a.seen_ns < b.asked_ns and a.seen > b.seen for a in made for b in made)
    assert rules(made, plan) == ({"watermark-back"} if wrong else set())


def test_the_watermark_of_one_thread_must_not_go_back_on_a_coarse_clock() -> None:
    made, plan = right(3, 1)
    for m in made:
        for name in ("begin", "asked", "seen", "reserved", "copied", "published", "finish"):
            setattr(m, f"{name}_ns", 10 * MS)
    assert rules(made, plan) == set()
    made[2].seen = made[1].start - 0
    made[2].seen, made[1].seen = made[1].seen, made[2].start
    assert "watermark-back" in rules(made, plan)


def test_alone_a_thread_sees_all_of_its_own_records() -> None:
    made, plan = right(6, 1, gates=0)
    made[4].seen = made[3].seen
    found = findings(made, plan)
    assert [f.rule for f in found] == ["watermark-late"]
    assert f"when {made[3].end} was complete" in found[0].text


def apart(gap: int) -> tuple[list[Made], InsertPlan]:
    """The second thread asks ``gap`` ns after the first has finished, and sees nothing."""
    made, plan = right(1, 2, gates=0)
    made.sort(key=lambda m: m.start)
    moment = 100 * MS
    for m in made:
        m.begin_ns, m.asked_ns, m.seen_ns, m.reserved_ns = range(moment, moment + 4)
        m.copied_ns, m.published_ns, m.finish_ns = range(moment + 4, moment + 7)
        m.seen, moment = SEGMENT, m.finish_ns + gap
    return made, plan


@pytest.mark.parametrize(("gap", "found"), [(2 * MS, {"watermark-late"}), (1000, set())])
def test_a_watermark_without_what_was_complete_is_found_once_that_must_be_visible(
    gap: int, found: set[str]
) -> None:
    assert rules(*apart(gap)) == found


def test_with_another_at_work_a_watermark_may_lag() -> None:
    made, plan = apart(2 * MS)
    assert rules(made, plan) == {"watermark-late"}
    busy = replace(made[1], thread=2, start=made[1].end, end=made[1].end + 80, size=80)
    busy.prev, busy.begin_ns, busy.asked_ns, busy.seen_ns = made[1].start, *[made[0].begin_ns] * 3
    assert rules([*made, busy], plan) == set()
    x = insertions(made, plan, ended=False)
    assert check_insertions(x, result(made, plan)) == [], "somebody may have been left at work"


def test_a_page_that_was_taken_too_early_is_found() -> None:
    made, plan = right(30, 3, ring_pages=16)
    late = made[0]
    late.copied_ns = max(m.copied_ns for m in made) - 1
    late.published_ns = late.copied_ns
    late.finish_ns = late.copied_ns
    found = rules(made, plan)
    assert "ring" in found
    assert rules(made, replace(plan, ring_pages=1024)) == found - {"ring"}
    assert rules(made, replace(plan, copy=False)) >= found - {"ring"}


def test_what_was_not_flushed_in_time_is_found() -> None:
    made, plan = committing()
    victim = next(m for m in reversed(made) if m.flushed)
    victim.flushed = victim.end - 8
    found = rules(made, plan)
    assert "flush" in found
    assert found == {"flush"}


def test_a_flush_of_what_is_not_complete_is_found() -> None:
    made, plan = committing(each=40)
    victim = next(m for m in made if m.flushed)
    victim.flushed = next(m for m in made if m.copied_ns > victim.finish_ns).end
    found = [f for f in findings(made, plan) if "by" in f.text]
    assert [f.rule for f in found] == ["flush"]


def test_a_flush_that_goes_back_is_found() -> None:
    made, plan = committing(each=40)
    flushed = [m for m in made if m.flushed]
    early = flushed[0]
    late = next(m for m in flushed if m.published_ns > early.finish_ns)
    early.flushed = late.end + 8
    late.flushed = late.end
    assert any("was known before" in f.text for f in findings(made, plan))


def test_a_flush_out_of_turn_or_left_out_is_found() -> None:
    made, plan = committing()
    assert rules(made, replace(plan, commit_every=4)) == {"flush"}
    assert rules(made, replace(plan, directory=None), written=SEGMENT) >= {"flush"}
    victim = next(m for m in made if m.flushed)
    victim.flushed = 0
    assert rules(made, plan) == {"flush"}


def test_more_flushed_than_written_is_found() -> None:
    made, plan = committing()
    highest = max(m.flushed for m in made)
    assert rules(made, plan, written=highest, watermark=highest) <= {"end"}
    assert "flush" in rules(made, plan, written=highest - 8)


@pytest.mark.parametrize("name", ["switches", "switch_bytes", "commits"])
def test_totals_that_are_not_those_of_the_rows_are_found(name: str) -> None:
    made, plan = committing(switch_every=5)
    assert rules(made, plan) == set()
    total = getattr(result(made, plan), name)
    assert total > 0
    assert rules(made, plan, **{name: total + 1}) == {"counts"}


def test_a_watermark_that_did_not_reach_the_tip_is_found() -> None:
    made, plan = right()
    tip = max(m.end for m in made)
    assert rules(made, plan, watermark=tip - 8) == {"end"}
    assert rules(made, plan, watermark=tip + 8) == {"end"}
    x = insertions(made, plan, ended=False)
    assert check_insertions(x, result(made, plan, watermark=tip - 8)) == []
    assert check_insertions(x, result(made, plan, watermark=tip + 8)) != []


def test_what_is_written_ends_with_the_watermark_and_without_files_where_it_began() -> None:
    made, plan = right()
    assert rules(made, plan, written=SEGMENT + 8) == {"end"}
    made, plan = committing()
    tip = max(m.end for m in made)
    assert rules(made, plan, written=tip + 8) == {"end"}


def big(count: int, threads: int) -> Insertions:
    """Insertions one after the other that overlap a little, of one thread after the other."""
    rng = np.random.default_rng(1)
    history, inserted = np.zeros(count, HISTORY_DTYPE), np.zeros(count, INSERTION_DTYPE)
    history["size"] = 8 * rng.integers(4, 64, count)
    history["end"] = SEGMENT + np.cumsum(history["size"])
    history["start"] = history["end"] - history["size"]
    history["prev"][0], history["prev"][1:] = SEGMENT - 64, history["start"][:-1]
    begin = 10**9 + np.arange(count) * 10
    history["begin_ns"], history["finish_ns"] = begin, begin + 10 * threads - 4
    stamps = ("asked_ns", "seen_ns", "reserved_ns", "copied_ns", "published_ns")
    for number, name in enumerate(stamps):
        inserted[name] = begin + number + 1
    inserted["seen"] = history["start"]
    inserted["gate"] = np.arange(count) % threads
    by_thread = np.concatenate([np.arange(thread, count, threads) for thread in range(threads)])
    return Insertions(
        plan=InsertPlan(layout=LAYOUT, gates=threads, ring_pages=64),
        history=history[by_thread],
        inserted=inserted[by_thread],
        counts=np.full(threads, count // threads, np.uint64),
        start_tip=SEGMENT,
        end_tip=int(history["end"][-1]),
        ended=True,
    )


def test_two_million_insertions_take_less_than_ten_seconds() -> None:
    x = big(2_000_000, 8)  # of twenty million it took 11 s
    totals = InsertResult(**dict.fromkeys(InsertResult.__dataclass_fields__, 0))
    begin = time.process_time()
    assert check_insertions(x, replace(totals, watermark=x.end_tip, written=SEGMENT)) == []
    assert time.process_time() - begin < 10
