# SPDX-License-Identifier: MIT
"""``wal-bench doctor`` as a user runs it, on the machine that is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from wal_bench.doctor.check import CHECKS, LEVELS, Check, Level, Seen
from wal_bench.doctor.report import document, render, worst

SCHEMA = json.loads((Path(__file__).parent.parent / "schemas" / "dwcas.doctor.1.json").read_text())


def doctor(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "wal_bench", "doctor", *arguments],
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )


def validated(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    jsonschema.validate(found, SCHEMA, cls=jsonschema.Draft202012Validator)
    return found


def test_table_json_and_exit_code_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "doctor.json"
    result = doctor("--json", str(path))
    found = validated(path.read_text())
    assert found["cpus"] == sorted(os.sched_getaffinity(0))
    assert [row["check"] for row in found["checks"]] == [row.name for row in CHECKS]
    levels = [row["level"] for row in found["checks"]]
    assert found["worst"] == max(levels, key=list(LEVELS).index)
    assert result.returncode == ("bad" in levels)
    shown = " ".join(result.stdout.split())
    for row in found["checks"]:
        told = [f"{row['level']} {row['check']} {row['found']}", row["means"], row["advice"]]
        assert all(" ".join((text or "").split()) in shown for text in told)
    assert max(map(len, result.stdout.splitlines())) <= 79


def test_json_on_stdout_is_json_only() -> None:
    result = doctor("--json", "-")
    found = validated(result.stdout)
    assert result.returncode == (found["worst"] == "bad")
    assert "looked at" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--json", "/no/such/folder/x"), 2, "json /no/such/folder/x: cannot be written"),
        (("--json", "/dev/full"), 3, "json /dev/full: writing failed"),
        (("surplus",), 2, "surplus"),
    ],
)
def test_what_cannot_be_written_is_one_line(
    arguments: tuple[str, ...], code: int, said: str
) -> None:
    result = doctor(*arguments)
    assert result.returncode == code
    (line,) = result.stderr.splitlines()[-1:]
    assert ("looked at" in result.stdout) == (code == 3)  # what was seen is shown all the same
    assert line.startswith("wal-bench: error: ")
    assert said in line
    assert "Traceback" not in result.stderr


def rows(*levels: Level) -> list[tuple[Check, Seen]]:
    return [
        (Check(f"row {n}", lambda _: Seen("ok", "", ""), False), Seen(level, "this", "so"))
        for n, level in enumerate(levels)
    ]


@pytest.mark.parametrize(
    ("levels", "gravest", "said"),
    [
        (("ok", "note", "ok"), "note", "nothing seen that disturbs"),
        (("ok", "warn", "note"), "warn", "warn row 1"),
        (("warn", "bad", "ok", "bad"), "bad", "bad row 1, row 3 warn row 0"),
    ],
)
def test_the_verdict_names_the_gravest(levels: tuple[Level, ...], gravest: str, said: str) -> None:
    assert worst(rows(*levels)) == gravest
    assert validated(json.dumps(document(rows(*levels), [0])))["worst"] == gravest
    assert said in " ".join(render(rows(*levels), None).split())
