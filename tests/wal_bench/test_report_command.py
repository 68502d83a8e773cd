# SPDX-License-Identifier: MIT
"""``wal-bench report`` as a user runs it, on what the other commands just wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as Tree

import pytest

from tests.wal_bench import made_documents

COMMAND = (sys.executable, "-P", "-m", "wal_bench")
QUICK = ("--threads", "1,2", "--rounds", "3", "--window", "5ms")


def bench(*arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=120, **more
    )


@pytest.fixture
def made(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(made_documents.run()))
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("run", "--method", "cas128"),
        ("insert", "--method", "mutex", "--gate", "8,none", "--flush", "none,tmpfs"),
    ],
    ids=lambda command: command[0],
)
def test_what_the_commands_write_becomes_a_page(command: tuple[str, ...], tmp_path: Path) -> None:
    source = tmp_path / "measured.json"
    assert bench(*command, *QUICK, "--json", str(source)).returncode == 0
    done = bench("report", str(source))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    text = (tmp_path / "measured.html").read_text(encoding="utf-8")
    tree = Tree.fromstring(text)
    shown = " ".join("".join(tree.itertext()).split())
    for line in json.loads(source.read_text())["verdict"]["text"]:
        assert line.partition(": ")[2] in shown


def test_plots_are_written_to_a_folder_made_for_them(made: Path, tmp_path: Path) -> None:
    plots = tmp_path / "deep" / "plots"
    done = bench("report", str(made), "--plots", str(plots))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert {file.suffix for file in plots.iterdir()} == {".svg", ".png"}


def test_a_page_on_stdout_is_the_page_alone(made: Path) -> None:
    done = bench("report", str(made), "-o", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("<!DOCTYPE html>\n")
    Tree.fromstring(done.stdout)
    assert list(made.parent.iterdir()) == [made]


def test_a_page_replaces_the_one_before(made: Path) -> None:
    made.with_suffix(".html").write_text("old")
    assert bench("report", str(made)).returncode == 0
    assert made.with_suffix(".html").read_text().startswith("<!DOCTYPE html>")


def test_several_runs_become_one_page(made: Path, tmp_path: Path) -> None:
    other = tmp_path / "insert.json"
    other.write_text(json.dumps(made_documents.insert(flushes=("none",))))
    out = tmp_path / "both.html"
    assert bench("report", str(made), str(other), "-o", str(out)).returncode == 0
    titles = [one.text or "" for one in Tree.parse(out).iter("h1")]
    assert [title.split(" on ")[0] for title in titles] == ["WAL reservation", "Whole insertions"]


def refused(done: subprocess.CompletedProcess[str], code: int, *said: str) -> None:
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("wal-bench: error: ")
    assert all(words in done.stderr for words in said), done.stderr


def test_mistakes_are_one_line_and_leave_nothing(made: Path, tmp_path: Path) -> None:
    refused(bench("report", str(tmp_path / "none.json")), 2, "none.json", "No such file")
    refused(bench("report", str(made), "-o", str(tmp_path)), 2, "output", "a folder")
    refused(bench("report", str(made), "--plots", str(made)), 2, "plots", str(made))
    cut = tmp_path / "cut.json"
    cut.write_text(made.read_text()[:-20])
    refused(bench("report", str(made), str(cut)), 2, "cut.json", "JSON")
    assert {path.name for path in tmp_path.iterdir()} == {"run.json", "cut.json"}


def test_without_its_libraries_it_says_what_to_install(made: Path) -> None:
    """As in an installation without the extra: the finder knows no such module."""
    hide = (
        "import sys, importlib.util as util; found = util.find_spec;"
        "util.find_spec = lambda name: None if name == 'matplotlib' else found(name);"
        "from wal_bench.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", hide, "report", str(made)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    refused(done, 3, "report needs matplotlib", "pip install 'dwcas[report]'")
