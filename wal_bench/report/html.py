# SPDX-License-Identifier: MIT
"""The page: one file, no network, no script. Verdict first, then figures, drawings, the rest.

Whatever comes from the JSON is escaped by the template; only drawings are put in as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
from markupsafe import Markup

from wal_bench import words
from wal_bench.report import palette, svg, tables
from wal_bench.report.drawing import Plot
from wal_bench.report.facts import Fact, facts
from wal_bench.report.plots import Group
from wal_bench.report.said import heat_text
from wal_bench.report.tables import Table
from wal_bench.run_file import Result, RunFile

_HERE = Path(__file__).parent

#: What is said of a run that did not do all it meant to.
_ENDS = {
    "budget": "The budget was spent before all rounds were done.",
    "interrupted": "The run was interrupted; what was measured until then is here.",
    "refused": "The system gave no more threads; what was measured until then is here.",
    "abandoned": "A method could not be stopped; what was measured until then is here.",
}


@dataclass(frozen=True)
class Chapter:
    """One run and all that is shown of it."""

    prefix: str  #: of its ids
    title: str
    run: RunFile
    warnings: tuple[str, ...]
    verdict: tuple[tuple[str, str], ...]  #: subject, what is said of it
    ratios: tuple[Table, ...]
    groups: tuple[Group, ...]
    figures: tuple[Table, ...]
    plan: tuple[Fact, ...]
    machine: tuple[Fact, ...]
    troubles: tuple[tuple[str, tuple[str, ...]], ...]  #: where, what

    def drawn(self, plot: Plot, group: int, index: int) -> Markup:
        """A drawing to stand in the page."""
        return Markup(svg.inline(plot, f"{self.prefix}g{group}p{index}-"))


def _split(line: str) -> tuple[str, str]:
    subject, colon, said = line.partition(": ")
    return (subject, said) if colon else ("", line)


def _warnings(run: RunFile) -> tuple[str, ...]:
    found = []
    if any(one.findings for one in run.results):
        found.append("A check failed: figures of what is wrong mean nothing. See the findings.")
    elif not run.verdict.checked:
        found.append("Not every window passed its check.")
    if run.verdict.ended != "complete":
        said = f"The run did not complete: {run.verdict.ended}."
        found.append(_ENDS.get(run.verdict.ended, said))
    return tuple(found)


def _troubles(one: Result) -> list[str]:
    found = [f"{rule}: {text}" for rule, text in one.findings]
    found += [f"round {number}: no progress" for number in one.stuck]
    return found + [f"round {number}: {text}" for number, text in one.disturbed]


def chapter(run: RunFile, groups: Sequence[Group], prefix: str) -> Chapter:
    """Everything of one run."""
    what = "Whole insertions" if run.inserts else "WAL reservation"
    cpu = run.machine.get("cpu")
    where = f" on {cpu}, {words.count(run.cpus, 'CPU')}" if isinstance(cpu, str) else ""
    troubles = [
        (f"{one.name}, {heat_text(one.heat, run)}", tuple(said))
        for one in run.results
        if (said := _troubles(one))
    ]
    return Chapter(
        prefix=prefix,
        title=f"{what}{where}",
        run=run,
        warnings=_warnings(run),
        verdict=tuple(_split(line) for line in run.verdict.text),
        ratios=tuple(tables.ratios(run)),
        groups=tuple(groups),
        figures=tuple(tables.figures(run)),
        plan=tuple(facts(run.plan, "plan")),
        machine=tuple(facts(run.machine, "machine")),
        troubles=tuple(troubles),
    )


def page(chapters: Sequence[Chapter]) -> str:
    """The whole page."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    style = Markup((_HERE / "page.css").read_text(encoding="utf-8"))
    day = {svg.variable(color): color for color in palette.NIGHTLY}
    night = {svg.variable(color): other for color, other in palette.NIGHTLY.items()}
    template = environment.get_template("page.html")
    return template.render(chapters=chapters, style=style, day=day, night=night, palette=palette)
