# SPDX-License-Identifier: MIT
"""A verdict as text, as JSON (dwcas.check/1) and as JUnit XML."""

from __future__ import annotations

import re
import textwrap
from dataclasses import asdict
from typing import Any
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


def _labelled(label: str, words: str) -> list[str]:
    return wrapped(words, WIDTH, f"{label:<12}", " " * 12) or [label]


def calls_text(one: Explored) -> list[str]:
    """``CPU 0  compare_exchange(expected = {10, 20}, ...)`` per CPU."""
    return [
        f"CPU {cpu}  " + "; then ".join(f"{given(call)}" for call in row)
        for cpu, row in enumerate(one.world.calls)
    ]


def trace_rows(trace: list[Line]) -> list[str]:
    """The steps in columns: number, CPU, instruction, what it did, the pair afterwards."""
    rows = []
    for number, line in enumerate(trace, 1):
        after = shown_pair(line.after) if line.after != line.before else ""
        rows.append((str(number), str(line.cpu), line.instruction, line.effect, after))
    heads = ("step", "CPU", "instruction", "effect", "pair now")
    widths = [max(len(row[at]) for row in [heads, *rows]) for at in range(5)]
    rows.insert(0, heads)
    made = []
    for number, row in enumerate(rows):
        cells = [row[0].rjust(widths[0]), row[1].rjust(widths[1])]
        cells += [row[at].ljust(widths[at]) for at in (2, 3, 4)]
        made.append("  ".join(cells).rstrip())
        returned = trace[number - 1].returned if number else None
        if returned is not None:
            made.append(" " * (widths[0] + widths[1] + 4) + f"=> {returned}")
    return made


def text(verdict: Verdict) -> str:
    """The whole report for a terminal."""
    image = verdict.image
    count = ((image.end or image.limit) - image.entry) // 4
    lines = _labelled("sequence", f"{image.source}, {count} instructions")
    lines += _labelled("operation", verdict.specification.name)
    options = ", ".join(f"{name}={value}" for name, value, _ in verdict.model.described())
    lines += _labelled("model", options)
    for limit in LIMITS:
        lines += _labelled("limit", limit)
    for finding in verdict.findings:
        lines += _labelled("finding", finding)
    if verdict.attempts is not None:
        lines += _labelled(
            "alone", f"a call stores {_times(verdict.attempts)} if nobody interferes"
        )
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
    for one in verdict.explored:
        if one.reason is not None:
            lines += ["", *_explained(one)]
    lines += ["", *_labelled("verdict", summary(verdict))]
    return "\n".join(lines)


def _times(count: int) -> str:
    return {0: "nothing", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _explained(one: Explored) -> list[str]:
    lines = _labelled("wrong" if one.result == WRONG else "undecided", one.reason or "")
    lines += ["", f"scenario {one.scenario.name}, pair {shown_pair(one.scenario.initial)} at first"]
    lines += ["  " + row for row in calls_text(one)]
    if one.trace:
        lines += ["", *("  " + row for row in trace_rows(one.trace))]
    if one.replay:
        lines += ["", *_labelled("replay", replay_argument(one))]
    return lines


def replay_argument(one: Explored) -> str:
    """What ``--replay`` takes."""
    return f"--replay '{one.scenario.name}: {one.replay}'"


def summary(verdict: Verdict) -> str:
    """The verdict in a sentence."""
    states = sum(one.states for one in verdict.explored)
    if verdict.result == RIGHT:
        count = len(verdict.explored)
        of = "scenario" if count == 1 else "scenarios"
        return f"right: all interleavings of {count} {of}, {states:,} states, complete"
    wrong = next((one for one in verdict.explored if one.result == WRONG), None)
    if wrong is not None:
        steps = f", shortest trace of {len(wrong.trace)} steps" if wrong.trace else ""
        return f"wrong: {wrong.reason} (scenario {wrong.scenario.name}{steps})"
    if verdict.findings:
        return f"wrong: {verdict.findings[0]}"
    if verdict.interrupted:
        return f"not decided: interrupted after {states:,} states"
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
        "rules": verdict.findings,
        "functional": {"attempts_alone": verdict.attempts},
        "explore": [_explored(one) for one in verdict.explored],
        "verdict": {
            "result": verdict.result,
            "interrupted": verdict.interrupted,
            "text": summary(verdict),
        },
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
        "trace": [
            {
                **asdict(line),
                "before": _plain(line.before),
                "after": _plain(line.after),
            }
            for line in one.trace
        ],
    }


def junit(verdict: Verdict) -> str:
    """One test case per scenario, for the test report of a CI."""
    rows = []
    bad = {WRONG: ("failure", 0), UNDECIDED: ("error", 0)}
    counts = {result: sum(o.result == result for o in verdict.explored) for result in bad}
    name = verdict.image.source
    for one in verdict.explored:
        attributes = (
            f"classname={quoteattr(name)} name={quoteattr(one.scenario.name)} "
            f'time="{one.seconds:.6f}"'
        )
        if one.result in bad:
            kind = bad[one.result][0]
            body = "\n".join(_explained(one))
            rows.append(
                f"    <testcase {attributes}>\n"
                f"      <{kind} message={quoteattr(one.reason or '')}>{escape(body)}</{kind}>\n"
                "    </testcase>"
            )
        else:
            rows.append(f"    <testcase {attributes}/>")
    for finding in verdict.findings:
        rows.append(
            f'    <testcase classname={quoteattr(name)} name="words">\n'
            f"      <failure message={quoteattr(finding)}/>\n    </testcase>"
        )
    seconds = sum(one.seconds for one in verdict.explored)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
        f"  <testsuite name={quoteattr(f'{verdict.specification.name} {name}')} "
        f'tests="{len(rows)}" failures="{counts[WRONG] + len(verdict.findings)}" '
        f'errors="{counts[UNDECIDED]}" time="{seconds:.6f}">\n'
        + "\n".join(rows)
        + "\n  </testsuite>\n</testsuites>"
    )
