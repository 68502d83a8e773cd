# SPDX-License-Identifier: MIT
"""Every sequence of tests/specimens gets its known verdict from `atomics check`."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from atomics.emulator import explore, report, rules
from atomics.emulator.assembler import assemble
from atomics.emulator.check import WRONG, Explored, Verdict
from atomics.emulator.check_run import Question, Request
from atomics.emulator.local import LocalMachine
from atomics.emulator.properties import shown_pair
from atomics.emulator.rules import ERROR
from atomics.emulator.semantics import Semantics
from atomics.emulator.trace import lines, parse_replay

FOLDER = Path(__file__).parents[2] / "specimens"
TABLE = FOLDER / "specimens.toml"
PAGE = FOLDER / "README.md"
WIDTH = 99  #: of its lines outside the tables
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "check.md"


@dataclass(frozen=True)
class Specimen:
    """One row of specimens.toml, which says what the keys mean."""

    file: str
    spec: str
    verdict: str
    shape: str
    source: str
    order: str | None = None
    model: tuple[str, ...] = ()
    cpus: int | None = None
    reason: str | None = None
    rules: tuple[str, ...] = ()
    near: tuple[str, ...] = ()

    @property
    def options(self) -> str:
        """How it is asked, as one writes it in the folder of the specimens."""
        order = [f"--order {self.order}"] * (self.order is not None)
        model = [f"--model {one}" for one in self.model]
        cpus = [f"--cpus {self.cpus}"] * (self.cpus is not None)
        return " ".join([f"--spec {self.spec}", *order, *model, *cpus])

    def question(self) -> Question:
        spec = str(FOLDER / self.spec) if self.spec.endswith(".toml") else self.spec
        return Question(
            Request(str(FOLDER / self.file), spec, self.cpus, order=self.order, model=self.model)
        )


def _specimens() -> list[Specimen]:
    made = []
    for row in tomllib.loads(TABLE.read_text(encoding="utf-8"))["specimen"]:
        plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
        made.append(Specimen(**plain))
    return made


SPECIMENS = _specimens()
every = pytest.mark.parametrize(
    "one", SPECIMENS, ids=[f"{one.file} {one.options}" for one in SPECIMENS]
)


@cache
def judged(one: Specimen) -> Verdict:
    return one.question().verdict()


def wrong(one: Specimen) -> Explored | None:
    """What an interleaving or a random run shows to be wrong."""
    verdict = judged(one)
    found = [each for each in verdict.explored if each.result == WRONG]
    if verdict.walks is not None and verdict.walks.wrong is not None:
        found.append(verdict.walks.wrong)
    return found[0] if found else None


def rules_of_the_checker() -> list[str]:
    """The identifiers in the table of docs/check.md."""
    table = DOCUMENTATION.read_text(encoding="utf-8").split("### Rules")[1].split("\n\n")[0]
    return re.findall(r"`([a-z-]+)`", " ".join(re.findall(r"^\|([^|]*)\|", table, re.M)))


def test_every_file_is_in_the_table_and_needs_no_toolchain() -> None:
    there = {str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*")}
    named = {one.file for one in SPECIMENS} | {one.spec for one in SPECIMENS if "." in one.spec}
    assert there == named
    assert len({(one.file, one.options) for one in SPECIMENS}) == len(SPECIMENS)
    for name in {one.file for one in SPECIMENS}:
        text = (FOLDER / name).read_text(encoding="utf-8")
        assert text.startswith("// SPDX-License-Identifier: MIT\n// ")  # it says what it is
        assemble(text, name)


@every
def test_a_specimen_gets_its_verdict(one: Specimen) -> None:
    verdict, found = judged(one), wrong(one)
    assert verdict.result == one.verdict, report.text(verdict)
    assert {each.rule for each in verdict.findings} == set(one.rules)
    assert (found is None) == (one.reason is None), report.text(verdict)
    assert found is None or (one.reason or "") in (found.reason or "")


@every
def test_a_trace_runs_again_and_is_a_shortest_one(one: Specimen) -> None:
    found = wrong(one)
    if found is None:
        return
    question = one.question()
    world, path = question.replayed(f"{found.scenario.name}: {found.replay}")
    trace, reason = lines(Semantics(world, LocalMachine(world, question.decoder)), path)
    assert trace == found.trace
    assert (found.reason or "").startswith(reason or explore.STUCK)
    if found in judged(one).explored:  # the other engine finds the same, and is breadth-first too
        local = LocalMachine(found.world, question.decoder)
        other = explore.explore(Semantics(found.world, local), 1_000_000)
        assert other.path is not None
        assert other.path == (path if found.repeats is None else path[: len(other.path)])
        assert parse_replay(found.replay or "") == path


@pytest.mark.parametrize("rule", rules_of_the_checker())
def test_a_rule_has_a_specimen_that_breaks_it_and_a_near_miss(rule: str) -> None:
    assert any(rule in one.rules for one in SPECIMENS)
    near = [one for one in SPECIMENS if rule in one.near]
    assert near
    for one in near:
        assert one.verdict == "right"
        assert rule not in one.rules


def test_the_documentation_names_every_rule() -> None:
    named = {rule for one in SPECIMENS for rule in (*one.rules, *one.near)}
    assert named == set(rules_of_the_checker())
    folder = Path(rules.__file__).parent
    source = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    assert set(re.findall(r'"([a-z]+(?:-[a-z]+)+)"', source)) <= named


def test_the_page_is_what_comes_out() -> None:
    text = "\n".join(_page()) + "\n"
    if os.environ.get("SPECIMENS") == "write":
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text


HEAD = """# Specimens

arm64 sequences whose verdict is known, each a file with a header that says what it is good for.
Where public code has the shape, the shape was written anew here and the project is named. The
table they come from is [specimens.toml](specimens.toml). In this folder, `atomics check FILE` with
what stands under "asked as" gives the verdict again. This page is made by a test
(`SPECIMENS=write pytest tests/atomics/emulator/test_specimens.py`) and compared by it.

**The listing** is eight instructions that move {start, end} of a write-ahead log. It is good for a
compare-and-set that says yes or no. It is not good for the pair that it read, which it destroys
and which may be torn; nor for publishing, as it has no order. A miss leaves the monitor open: the
checker does not object, as only a store-exclusive without a load-exclusive of its own would notice,
and `listing/open_monitor.s` shows what that one does.
"""


def _found_by(one: Specimen) -> tuple[str, str]:
    """What found it, and in how many steps."""
    verdict, found = judged(one), wrong(one)
    severities = {each.rule: each.severity for each in verdict.findings}
    by = [
        f"rule `{rule}`" if severity == ERROR else f"warning `{rule}`"
        for rule, severity in severities.items()
    ]
    if found is None:
        return ", ".join(by), ""
    return ", ".join([*by, f"scenario *{found.scenario.name}*"]), str(len(found.trace))


def _page() -> Iterator[str]:
    """The lines of README.md."""
    yield HEAD
    for folder in dict.fromkeys(one.file.partition("/")[0] for one in SPECIMENS):
        yield f"## {folder.capitalize()}\n"
        yield "| specimen | shape | asked as | verdict | found by | steps | source |"
        yield "|---" * 7 + "|"
        for one in SPECIMENS:
            if one.file.startswith(folder + "/"):
                by, steps = _found_by(one)
                name = one.file.partition("/")[2]
                yield (
                    f"| [{name}]({one.file}) | {one.shape} | `{one.options}` | {one.verdict} "
                    f"| {by} | {steps} | {one.source} |"
                )
        yield ""
    yield "## Every rule\n"
    yield "| rule | broken by | nearly by |"
    yield "|---" * 3 + "|"
    for rule in rules_of_the_checker():
        breaks = dict.fromkeys(one.file for one in SPECIMENS if rule in one.rules)
        near = dict.fromkeys(one.file for one in SPECIMENS if rule in one.near)
        cells = [", ".join(f"[{name}]({name})" for name in names) for names in (breaks, near)]
        yield f"| `{rule}` | {' | '.join(cells)} |"
    yield "\n## Findings and shortest traces\n"
    yield "No shorter ones exist: the search is breadth-first, and a second engine finds the same."
    yield "What only a rule finds has none: order, for one, does not show in interleavings."
    for one in SPECIMENS:
        found = wrong(one)
        if found is not None or one.rules:
            yield f"\n### {one.file}: {one.shape}\n"
            yield "```text"
            yield f"atomics check {one.file} {one.options}"
            for each in judged(one).findings:
                yield ""
                yield from report.wrapped(str(each), WIDTH)
            if found is not None:
                yield ""
                yield from _trace(found)
            yield "```"


def _trace(found: Explored) -> Iterator[str]:
    yield from report.wrapped(found.reason or "", WIDTH)
    yield ""
    pair = shown_pair(found.scenario.initial)
    yield f"scenario {found.scenario.name}, pair {pair} at first"
    yield from ("  " + row for row in report.calls_text(found))
    yield ""
    if not found.trace:
        yield "  from the start, without a step"
        return
    yield from ("  " + row for row in report.trace_rows(found.trace))
    yield ""
    yield report.replay_argument(found)
