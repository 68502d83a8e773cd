# SPDX-License-Identifier: MIT
"""Words that drawings and tables share."""

from __future__ import annotations

from wal_bench import words
from wal_bench.page import digits
from wal_bench.report.measures import Measure
from wal_bench.run_file import NO_FLUSH, Heat, Result, RunFile
from wal_bench.stats import Estimate


def flush_text(flush: str) -> str:
    """How a heat flushes."""
    return "no flush" if flush == NO_FLUSH else f"flush {flush}"


def heat_text(heat: Heat, run: RunFile) -> str:
    """``2 threads``, and how they flush if that differs."""
    text = words.count(heat.threads, "thread")
    return text if len(run.flushes) == 1 else f"{text}, {flush_text(heat.flush)}"


def figure_text(result: Result, figure: Estimate, measure: Measure, run: RunFile) -> str:
    """``cas128, 2 threads: 44.4 [40.1, 47.2] Mops/s``."""
    values = (figure.median, figure.low, figure.high)
    middle, low, high = (digits(value * measure.scale) for value in values)
    where = heat_text(result.heat, run)
    return f"{result.name}, {where}: {middle} [{low}, {high}] {measure.unit}"
