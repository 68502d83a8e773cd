# SPDX-License-Identifier: MIT
"""A verdict as text, as JSON (dwcas.check/1) and as JUnit XML."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from atomics.emulator import listing
from atomics.emulator.check import LIMITS, RIGHT, UNDECIDED, WRONG, Explored, Verdict
from atomics.emulator.properties import shown_pair
from atomics.emulator.trace import Line, given

WIDTH = 79


def _per_second(one: Explored) -> float:
    return one.states / one.seconds if one.seconds else 0.0


def wrapped(words: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most that width, broken at blanks but not inside a pair."""
    kept = re.sub(r"\{(\w+), ", "{\\1,\N{NO-BREAK SPACE}", words)
    rows = textwrap.wrap(kept, width, initial_indent=first, subsequent_indent=rest)
    return [row.replace("\N{NO-BREAK SPACE}", " ") for row in rows]


def labelled(label: str, words: str) -> list[str]:
    """``label       words``, wrapped behind the label."""
    return wrapped(words, WIDTH, f"{label:<12}", " " * 12) or [label]


def calls_text(one: Explored) -> list[str]:
    """``CPU 0  compare_exchange(expected = {10, 20}, ...)`` per CPU."""
    return [
        f"CPU {cpu}  " + "; then ".join(f"{given(call)}" for call in row)
        for cpu, row in enumerate(one.world.calls)
    ]


def _row(cells: list[str], start: int) -> list[str]:
    """A row of a trace; where it is too long, what it did goes on below, behind ``start``."""
    whole = "  ".join(cells).rstrip()
    if len(whole) <= WIDTH - 2:
        return [whole]
    margin = " " * (start + 4)
    effect = wrapped("  ".join(cells[3:]).rstrip(), WIDTH - 2, margin, margin)
    return ["  ".join(cells[:3]).rstrip(), *effect]


def trace_rows(trace: list[Line], repeats: int | None = None) -> list[str]:
    """The steps in columns: number, CPU, instruction, what it did, the pair afterwards; behind
    ``repeats`` steps comes what is done over and over."""
    rows = []
    lined = any(line.line for line in trace)
    for number, line in enumerate(trace, 1):
        after = shown_pair(line.after) if line.after != line.before else ""
        at = (line.line or "").rpartition(":")[2]  # the file is named above
        text = f"{at:>3} {line.instruction}" if lined else line.instruction
        rows.append((str(number), str(line.cpu), text, line.effect, after))
    heads = ("step", "CPU", "line instruction" if lined else "instruction", "effect", "pair now")
    widths = [max(len(row[at]) for row in [heads, *rows]) for at in range(5)]
    rows.insert(0, heads)
    made = []
    for number, row in enumerate(rows):
        cells = [row[0].rjust(widths[0]), row[1].rjust(widths[1])]
        cells += [row[at].ljust(widths[at]) for at in (2, 3, 4)]
        made += _row(cells, widths[0] + widths[1] + 2)
        returned = trace[number - 1].returned if number else None
        if returned is not None:
            margin = " " * (widths[0] + widths[1] + 4)
            made += wrapped(f"=> {returned}", WIDTH - 2, margin, margin + "   ")
        if number == repeats:
            made.append("from here on, for ever:")
    return made


def text(verdict: Verdict) -> str:
    """The whole report for a terminal."""
    image = verdict.image
    count = ((image.end or image.limit) - image.entry) // 4
    lines = labelled("sequence", f"{image.source}, {count} instructions")
    lines += labelled("operation", verdict.specification.name)
    options = ", ".join(f"{name}={value}" for name, value, _ in verdict.model.described())
    lines += labelled("model", options)
    for limit in LIMITS:
        lines += labelled("limit", limit)
    if verdict.order is not None:
        lines += labelled("order", f"{verdict.order}, by pattern, on every path")
    for finding in verdict.findings:
        lines += labelled(finding.severity, f"{finding.rule} at {finding.where}: {finding.reason}")
    if verdict.attempts is not None:
        lines += labelled("alone", f"a call stores {_times(verdict.attempts)} if nobody interferes")
    width = max([len(one.scenario.name) for one in verdict.explored] + [8])
    lines += [
        "",
        f"{'scenario':<{width}}  CPUs      states  transitions  seconds   states/s  result",
    ]
    for one in verdict.explored:
        lines.append(
            f"{one.scenario.name:<{width}}  {len(one.world.calls):>4}  {one.states:>10,}  "
            f"{one.transitions:>11,}  {one.seconds:>7.3f}  {_per_second(one):>9,.0f}  {one.result}"
        )
    walks = verdict.walks
    if walks is not None:
        result = WRONG if walks.wrong else RIGHT
        lines += ["", f"{walks.runs:,} random runs in {walks.seconds:.3f} s: {result}"]
    for one in [*verdict.explored, *([walks.wrong] if walks and walks.wrong else [])]:
        if one.reason is not None:
            lines += ["", *_explained(one)]
    lines += ["", *labelled("verdict", summary(verdict))]
    return "\n".join(lines)


def _times(count: int) -> str:
    return {0: "nothing", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _explained(one: Explored) -> list[str]:
    lines = labelled("wrong" if one.result == WRONG else "undecided", one.reason or "")
    lines += ["", f"scenario {one.scenario.name}, pair {shown_pair(one.scenario.initial)} at first"]
    for row in calls_text(one):
        lines += wrapped(row, WIDTH, "  ", " " * 9)
    if one.trace:
        lines += ["", *("  " + row for row in trace_rows(one.trace, one.repeats))]
    if one.replay:
        lines += ["", *labelled("replay", replay_argument(one))]
    return lines


def replay_argument(one: Explored) -> str:
    """What ``--replay`` takes."""
    return f"--replay '{one.scenario.name}: {one.replay}'"


def summary(verdict: Verdict) -> str:
    """The verdict in a sentence."""
    states = verdict.states
    if verdict.result == RIGHT:
        count = len(verdict.explored)
        of = "scenario" if count == 1 else "scenarios"
        return f"right: all interleavings of {count} {of}, {states:,} states, complete"
    wrong = next((one for one in verdict.explored if one.result == WRONG), None)
    if wrong is not None:
        count = len(wrong.trace) if wrong.repeats is None else 0
        steps = f", shortest trace of {count} {'step' if count == 1 else 'steps'}" if count else ""
        return f"wrong: {wrong.reason} (scenario {wrong.scenario.name}{steps})"
    if verdict.errors:
        first = verdict.errors[0]
        return f"wrong: {first.rule} at {first.where}: {first.reason}"
    if verdict.walks and verdict.walks.wrong:
        return f"wrong: {verdict.walks.wrong.reason} (scenario {verdict.walks.wrong.scenario.name})"
    if verdict.interrupted:
        return "not decided: interrupted" + (f" after {states:,} states" if states else "")
    reasons = {one.reason for one in verdict.explored if one.result == UNDECIDED}
    return f"not decided: {'; '.join(sorted(str(one) for one in reasons)) or 'nothing to explore'}"


def document(verdict: Verdict) -> dict[str, Any]:
    """The JSON document, schema dwcas.check/1."""
    image = verdict.image
    span = range(image.entry, image.end or image.limit, 4)
    return {
        "schema": "dwcas.check/1",
        "image": {
            "source": image.source,
            "instructions": [
                {
                    "offset": address - image.entry,
                    "word": f"{image.word(address) or 0:08x}",
                    "text": listing.text(image.word(address) or 0, address),
                }
                for address in span
            ],
        },
        "operation": verdict.specification.name,
        "model": {
            "options": {name: value for name, value, _ in verdict.model.described()},
            "limits": list(LIMITS),
        },
        "order": verdict.order,
        "rules": [
            {
                "rule": one.rule,
                "severity": one.severity,
                "offset": one.address - image.entry,
                "place": one.place,
                "line": one.line,
                "reason": one.reason,
            }
            for one in verdict.findings
        ],
        "functional": _functional(verdict),
        "explore": [_explored(one) for one in verdict.explored],
        "verdict": {
            "result": verdict.result,
            "interrupted": verdict.interrupted,
            "text": summary(verdict),
        },
    }


def _functional(verdict: Verdict) -> dict[str, Any]:
    walks = verdict.walks
    wrong = walks.wrong if walks else None
    return {
        "attempts_alone": verdict.attempts,
        "runs": walks.runs if walks else 0,
        "seconds": round(walks.seconds, 6) if walks else 0.0,
        "wrong": _explored(wrong) if wrong else None,
    }


def _plain(value: object) -> object:
    """Pairs as lists of two decimal strings, as JSON numbers end at 2**53."""
    if isinstance(value, bool):
        return value
    if isinstance(value, tuple):
        return [str(half) for half in value]
    return str(value)


def _explored(one: Explored) -> dict[str, Any]:
    return {
        "scenario": one.scenario.name,
        "initial": _plain(one.scenario.initial),
        "cpus": [
            [
                {
                    "call": call.name,
                    "arguments": {name: _plain(value) for name, value in call.arguments},
                }
                for call in row
            ]
            for row in one.world.calls
        ],
        "states": one.states,
        "transitions": one.transitions,
        "seconds": round(one.seconds, 6),
        "states_per_second": round(_per_second(one)),
        "complete": one.complete,
        "result": one.result,
        "reason": one.reason,
        "replay": one.replay,
        "repeats_after": one.repeats,
        "trace": [
            {
                **asdict(line),
                "before": _plain(line.before),
                "after": _plain(line.after),
            }
            for line in one.trace
        ],
    }


def junit(verdicts: Sequence[Verdict]) -> str:
    """Per sequence a suite with one test case per scenario, for the rules and for the random
    runs, as reports of a CI are."""
    suites = "\n".join(map(_suite, verdicts))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{suites}\n</testsuites>'


class _Case(NamedTuple):
    name: str
    seconds: float
    kind: str | None = None  #: "failure", "error" or None
    line: str = ""
    body: str = ""


def _cases(verdict: Verdict) -> list[_Case]:
    kinds = {WRONG: "failure", UNDECIDED: "error"}
    cases = []
    for one in verdict.explored:
        body = "\n".join(_explained(one)) if one.result in kinds else ""
        kind = kinds.get(one.result)
        cases.append(_Case(one.scenario.name, one.seconds, kind, one.reason or "", body))
    if verdict.errors:
        body = "\n".join(map(str, verdict.findings))
        cases.append(_Case("rules", 0.0, "failure", str(verdict.errors[0]), body))
    else:
        cases.append(_Case("rules", 0.0))
    walks = verdict.walks
    if walks is not None and walks.wrong is not None:
        body = "\n".join(_explained(walks.wrong))
        line = walks.wrong.reason or ""
        cases.append(_Case("random runs", walks.seconds, "failure", line, body))
    elif walks is not None:
        cases.append(_Case("random runs", walks.seconds))
    if verdict.interrupted:
        cases.append(_Case("all of it", 0.0, "error", "interrupted: not everything was checked"))
    return cases


def _suite(verdict: Verdict) -> str:
    source, cases = verdict.image.source, _cases(verdict)
    rows = []
    for one in cases:
        head = (
            f"<testcase classname={quoteattr(source)} name={quoteattr(one.name)} "
            f'time="{one.seconds:.6f}"'
        )
        if one.kind is None:
            rows.append(f"    {head}/>")
            continue
        rows.append(
            f"    {head}>\n"
            f"      <{one.kind} message={quoteattr(one.line)}>{escape(one.body)}</{one.kind}>\n"
            "    </testcase>"
        )
    failures, errors = (sum(one.kind == kind for one in cases) for kind in ("failure", "error"))
    return (
        f"  <testsuite name={quoteattr(f'{verdict.specification.name} {source}')} "
        f'tests="{len(rows)}" failures="{failures}" errors="{errors}" '
        f'time="{sum(one.seconds for one in cases):.6f}">\n' + "\n".join(rows) + "\n  </testsuite>"
    )
