# SPDX-License-Identifier: MIT
"""What is concluded from given rates; the conclusions are worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.wal_bench import made
from wal_bench.verdict import Verdict, verdict


def judged(rates: made.Rates) -> Verdict:
    return verdict(made.run(rates))


def around(mops: float) -> list[float]:
    """Nine rounds within one percent."""
    return [mops * (1 + 0.0025 * (n % 5 - 2)) for n in range(9)]


def test_the_fastest_wins_and_the_next_is_named() -> None:
    found = judged({8: {"spin": around(10), "mutex": around(7), "cas128-backoff": around(42)}})
    place = found.judged.standings[0]
    assert (place.winners, place.kind) == (("cas128-backoff",), "lock-free")
    assert place.ratio is not None
    assert place.ratio.median == pytest.approx(4.2)
    assert place.text == (
        "8 threads: cas128-backoff wins, 4.20 [4.20, 4.20] times spin; "
        "next spin at 0.24 [0.24, 0.24] of cas128-backoff"
    )


def test_the_baseline_may_win() -> None:
    place = judged({1: {"spin": around(10), "cas128": around(7)}}).judged.standings[0]
    assert place.winners == ("spin",)
    assert place.ratio is None
    assert place.text == "1 thread: spin wins; next cas128 at 0.70 [0.70, 0.70] of spin"


def test_no_difference_is_finer_than_the_controls() -> None:
    """The medians differ by 5 %, surely; the baseline from itself by up to 10 %."""
    rates = {"spin": around(10), "cas128": around(10.5)}
    assert judged({2: rates}).judged.standings[0].winners == ("cas128",)
    control = [10.0, 11, 9.5, 10, 11, 10, 9.8, 10.2, 10]
    place = judged({2: rates | {"spin again": control}}).judged.standings[0]
    assert set(place.winners) == {"cas128", "spin"}
    further = {"spin": around(10), "cas128": around(12), "spin again": control}
    assert judged({2: further}).judged.standings[0].winners == ("cas128",)


def test_the_control_never_wins_and_is_told() -> None:
    rates = {"spin": around(10), "mutex": around(5), "spin again": around(11)}
    found = judged({1: rates, 2: rates}).judged
    assert [place.winners for place in found.standings] == [("spin",), ("spin",)]
    assert (
        "control: spin is up to 10 % with 1 thread and 10 % with 2 threads from itself; "
        "no finer difference is told"
    ) in found.lines


def test_what_changes_sign_between_rounds_is_no_difference() -> None:
    rates = {"spin": [10.0, 10, 10, 10, 10, 10], "cas128": [9.0, 11, 12, 8, 13, 10]}
    place = judged({2: rates}).judged.standings[0]
    assert set(place.winners) == {"spin", "cas128"}
    assert place.kind is None
    assert "no difference between" in place.text


def test_a_drift_that_hits_both_alike_does_not_hide_a_difference() -> None:
    """The medians overlap by far; the pairs never do."""
    drift = [1.0, 4, 2, 8, 3, 6, 5]
    rates = {"spin": [10 * d for d in drift], "cas128": [11 * d for d in drift]}
    assert judged({2: rates}).judged.standings[0].winners == ("cas128",)


def test_rivals_that_do_not_differ_share_the_lead() -> None:
    rates = {
        "spin": around(10),
        "cas128": [20.0, 21, 20, 21, 20, 21, 20, 21, 20],
        "cas64-packed": [21.0, 20, 21, 20, 21, 20, 21, 20, 21],
    }
    place = judged({4: rates}).judged.standings[0]
    assert set(place.winners) == {"cas128", "cas64-packed"}
    assert place.kind == "lock-free"
    assert "times spin" in place.text


def test_the_bound_never_wins_and_is_named_for_scale() -> None:
    rates = {"spin": around(10), "cas128": around(20), "faa-bound": around(40)}
    found = judged({1: rates, 2: rates})
    assert all(place.winners == ("cas128",) for place in found.judged.standings)
    assert (
        "bound: the winner reaches 0.50 of faa-bound at 1 thread, 0.50 at 2" in found.judged.lines
    )


def test_a_share_above_the_bound_is_explained() -> None:
    found = judged({2: {"spin": around(10), "cas128": around(50), "faa-bound": around(40)}})
    line = next(line for line in found.judged.lines if line.startswith("bound: "))
    assert "1.25 of faa-bound" in line
    assert "above 1: it pauses" in line


def test_a_broken_method_never_wins() -> None:
    rates = {"spin": around(10), "mutex": around(5), "broken-lost-update": around(90)}
    assert judged({2: rates}).judged.standings[0].winners == ("spin",)


def test_a_rival_with_a_finding_is_wrong_and_cannot_win() -> None:
    run = made.run({2: {"spin": around(10), "mutex": around(5), "cas128": around(90)}})
    cell = run.cells[2]
    cell.samples[3] = replace(cell.samples[3], findings=(made.finding(),))
    found = verdict(run)
    assert found.judged.standings[0].winners == ("spin",)
    assert not found.judged.checked
    assert "oracle: WRONG: cas128 with 2 threads" in found.judged.lines


@pytest.mark.parametrize(
    ("kinds", "threads", "kind", "said"),
    [
        ("LFF", 2, "lock-free", "crossover: lock-free wins from 2 threads on"),
        ("LLF", 4, "lock-free", "crossover: lock-free wins from 4 threads on"),
        ("FLF", 4, "lock-free", "crossover: lock-free wins from 4 threads on"),
        ("FFL", 4, "lock", "crossover: lock wins from 4 threads on"),
        ("=FF", 2, "lock-free", "crossover: lock-free wins from 2 threads on"),
        ("FFF", None, None, "crossover: none, lock-free wins at every thread count measured"),
        ("LLL", None, None, "crossover: none, lock wins at every thread count measured"),
        ("LF=", None, None, "crossover: none, several kinds are among the first at the highest"),
        ("L", None, None, "crossover: needs at least two thread counts"),
    ],
)
def test_the_crossover(kinds: str, threads: int | None, kind: str | None, said: str) -> None:
    steady = [10.0] * 6
    rates = {"L": [8.0] * 6, "F": [12.0] * 6, "=": [9.0, 11, 12, 8, 13, 10]}
    found = judged({2**n: {"spin": steady, "cas128": rates[k]} for n, k in enumerate(kinds)})
    assert (found.crossover, found.crossover_kind) == (threads, kind)
    assert any(line.startswith(said) for line in found.judged.lines)


def test_two_rounds_are_too_few() -> None:
    place = judged({2: {"spin": [10, 10], "cas128": [20, 20]}}).judged.standings[0]
    assert place.winners == ()
    assert place.text == "2 threads: no verdict from 2 rounds, 3 are needed"


def test_one_method_alone_has_nothing_to_be_compared_with() -> None:
    assert judged({2: {"spin": around(10)}}).judged.standings[0].text == (
        "2 threads: there is nothing to compare"
    )


def test_ratios_use_only_rounds_that_have_both() -> None:
    run = made.run({2: {"spin": [10.0] * 6, "cas128": [20.0] * 6}})
    run.cells[0].samples[0:2] = [made.sample(0, 99999.0, "no progress"), made.sample(1, 20.0)]
    found = verdict(run).judged.standings[0]
    assert found.ratio is not None
    assert (found.ratio.n, found.ratio.low, found.ratio.high) == (5, 1.0, 2.0)


def test_no_progress_is_said_and_the_others_are_still_judged() -> None:
    run = made.run({2: {"spin": around(10), "mutex": around(5), "cas128": []}})
    run.cells[2].samples.append(made.sample(0, 1.0, "no progress"))
    found = verdict(run)
    assert found.judged.standings[0].winners == ("spin",)
    assert "no progress: cas128 with 2 threads, not run again" in found.judged.lines
    assert found.judged.checked


def test_an_abandoned_window_was_not_checked() -> None:
    run = made.run({2: {"spin": around(10), "mutex": around(5)}}, ended="abandoned")
    run.cells[1].samples.append(made.sample(9, 1.0, "abandoned"))
    found = verdict(run)
    assert not found.judged.checked
    assert "oracle: 18 of 19 windows passed" in found.judged.lines
    assert any(line.startswith("end: a method could not be stopped") for line in found.judged.lines)


def test_disturbed_windows_are_counted() -> None:
    run = made.run({2: {"spin": around(10), "mutex": around(5)}})
    assert "disturbance: none seen" in verdict(run).judged.lines
    cell = run.cells[0]
    cell.samples[0] = replace(cell.samples[0], disturbed="a thread waited")
    found = verdict(run)
    assert (found.judged.disturbed, found.judged.windows) == (1, 18)
    assert any(line.startswith("disturbance: 1 of 18 windows") for line in found.judged.lines)


def test_an_interrupted_run_says_so() -> None:
    run = made.run({2: {"spin": around(10), "mutex": around(5)}}, ended="interrupted")
    assert verdict(run).judged.lines[-1].startswith("end: interrupted, 9 of 9 rounds complete")
