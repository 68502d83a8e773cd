# SPDX-License-Identifier: MIT
"""The table as text: what it holds, and that it fits."""

from __future__ import annotations

import io
from typing import TextIO

import pytest

from tests.wal_bench import made
from wal_bench import engine, page, table
from wal_bench.verdict import verdict

RATES: made.Rates = {
    1: {"spin": [191.2] * 7, "cas128-backoff": [132.0] * 7, "faa-bound": [304.0] * 7},
    1024: {"spin": [0.0341] * 7, "cas128-backoff": [114.0] * 7, "faa-bound": [66.9] * 7},
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: TextIO | None = None, rates: made.Rates = RATES) -> str:
    run = made.run(rates)
    return table.render(run, verdict(run), stream or io.StringIO())


def row(text: str, name: str, nth: int = 0) -> list[str]:
    return [line.split() for line in text.splitlines() if line.strip().startswith(name)][nth]


def test_each_figure_is_in_its_row() -> None:
    text = shown()
    assert row(text, "spin*") == [
        "spin*",
        "191",
        "-",
        "0.63",
        "[0.63,",
        "0.63]",
        "0.50",
        "10.5",
    ]
    assert row(text, "cas128-backoff*", 0)[1] == "114"
    assert row(text, "faa-bound")[:3] == ["faa-bound", "304", "1.59"]
    assert row(text, "spin", 1)[1] == "0.034"


def test_winners_are_marked_and_the_verdict_is_below() -> None:
    text = shown()
    marked = [word for word in text.split() if word.endswith("*") and word != "*"]
    assert marked == ["spin*", "cas128-backoff*"]
    assert text.index("cas128-backoff*") < text.index("crossover")
    assert "lock-free wins from 1024 threads on" in text


def test_it_fits_80_columns_without_loss_for_every_method() -> None:
    names = [m.name for m in engine.methods() if m.kind != "engine"]
    text = shown(rates={16384: {name: [1234.0, 999.0, 1000.0] for name in names}})
    assert max(len(line) for line in text.splitlines()) < 80
    assert all(name in text for name in names)
    assert "…" not in text


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" not in shown()
    assert "\x1b[" in shown(Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[32m" not in shown(Terminal())
    assert ";32m" not in shown(Terminal())


def test_an_ascii_stream_gets_ascii() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert shown(stream).isascii()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234.5, "1234"),
        (212.4, "212"),
        (99.96, "100"),
        (43.21, "43.2"),
        (9.996, "10.0"),
        (5.234, "5.23"),
        (0.1, "0.10"),
        (0.0184, "0.018"),
        (0.0, "0.000"),
    ],
)
def test_three_digits(value: float, text: str) -> None:
    assert page.digits(value) == text
