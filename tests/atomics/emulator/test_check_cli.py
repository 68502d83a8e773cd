# SPDX-License-Identifier: MIT
"""The command ``atomics check``: exit codes, files, replay, errors of one line."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from atomics.emulator import check_run, trace

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "dwcas.check.1.json").read_text())

#: A compare-and-exchange whose miss hands out what LDXP read; right as a yes or no.
CLASSIC = """
1:      ldxp  x6, x7, [x0]
        cmp   x6, x1
        ccmp  x7, x2, #0, eq
        b.ne  2f
        stxp  w8, x3, x4, [x0]
        cbnz  w8, 1b
2:      cset  w0, eq
        stp   x6, x7, [x5]
        ret
"""
YES_OR_NO = CLASSIC.replace("        stp   x6, x7, [x5]\n", "")
SPECIMENS = Path(__file__).parents[2] / "specimens"
COMMAND = [sys.executable, "-P", "-m", "atomics", "check"]
GROWS = "1: ldr x1, [x0]\n add x2, x2, #1\n b 1b\n"


@pytest.fixture
def classic(tmp_path: Path) -> Path:
    file = tmp_path / "classic.s"
    file.write_text(CLASSIC)
    return file


@pytest.fixture
def yes_or_no(tmp_path: Path) -> Path:
    file = tmp_path / "yes_or_no.s"
    file.write_text(YES_OR_NO)
    return file


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=120
    )


def refused(*arguments: object) -> str:
    """The one line on stderr of a request that is wrong."""
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line.removeprefix("atomics: error: ")


def test_a_right_sequence_exits_0_and_says_within_which_model() -> None:
    result = run("kernel:dwcas_pair_compare_exchange_acq_rel_llsc")
    assert (result.returncode, result.stderr) == (0, "")
    assert "verdict     right: all interleavings of 13 scenarios" in result.stdout
    assert "sequentially consistent interleavings" in result.stdout
    assert "spurious=unlimited" in result.stdout
    assert max(map(len, result.stdout.splitlines())) < 80


def test_a_wrong_one_exits_1_and_shows_a_trace_that_runs_again(classic: Path) -> None:
    result = run(classic, "--spec", "compare_exchange")
    assert result.returncode == 1
    assert "torn: the object never held that pair" in " ".join(result.stdout.split())
    assert "shortest trace of 5 steps" in result.stdout
    assert max(map(len, result.stdout.splitlines())) < 80
    (replay,) = (line for line in result.stdout.splitlines() if "--replay" in line)
    again = run(classic, "--spec", "compare_exchange", "--replay", replay.split("'")[1])
    assert again.returncode == 1
    steps = [line for line in result.stdout.splitlines() if "[x0]  " in line]
    assert len(steps) == 5
    for line in steps:
        assert line.strip() in again.stdout
    assert "observed = {10, 21}" in again.stdout.split("verdict")[1]


def test_a_path_that_goes_well_replays_with_exit_0(classic: Path) -> None:
    steps = "0l 0 0s 1l 1"  # one after the other: nothing is torn
    result = run(classic, "--spec", "compare_exchange", "--replay", f"contend: {steps}")
    assert (result.returncode, result.stdout.split("verdict")[1].strip()) == (0, "nothing wrong")


def test_without_the_pair_it_is_right_as_a_compare_and_set(yes_or_no: Path) -> None:
    assert run(yes_or_no, "--spec", "compare_and_set", "--cpus", 3).returncode == 0


def test_both_engines_and_both_executors_say_the_same(classic: Path, tmp_path: Path) -> None:
    found = []
    for more in ([], ["--engine", "python"], ["--executor", "unicorn"]):
        result = run(classic, "--spec", "compare_exchange", "--json", tmp_path / "j.json", *more)
        assert result.returncode == 1
        found.append(without_times(json.loads((tmp_path / "j.json").read_text())))
    assert found[0] == found[1] == found[2]


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    for one in document["explore"]:
        del one["seconds"], one["states_per_second"]
    return document


def test_what_stays_open_exits_3(tmp_path: Path) -> None:
    (tmp_path / "grows.s").write_text(GROWS)
    result = run(tmp_path / "grows.s", "--spec", "load", "--limit", 1000)
    assert result.returncode == 3
    assert "not decided: bounded at 1000 states" in result.stdout


@pytest.mark.parametrize("name", ["classic", "yes_or_no"])
def test_the_json_follows_its_schema_and_the_text(
    name: str, request: pytest.FixtureRequest
) -> None:
    spec = {"classic": "compare_exchange", "yes_or_no": "compare_and_set"}[name]
    result = run(request.getfixturevalue(name), "--spec", spec, "--json", "-")
    document = json.loads(result.stdout)
    jsonschema.validate(document, SCHEMA)
    assert document["verdict"]["text"].split()[0] in ("right:", "wrong:")
    assert document["verdict"]["result"] == ("wrong" if result.returncode else "right")
    assert "verdict" in result.stderr  # the report for a person
    words = [one["word"] for one in document["image"]["instructions"]]
    assert (words[0], words[-1]) == ("c87f1c06", "d65f03c0")
    for one in document["explore"]:
        if one["trace"]:
            assert len(trace.parse_replay(one["replay"])) == len(one["trace"])
            assert one["trace"][0]["before"] == one["initial"]


def test_junit_has_one_case_per_scenario(classic: Path, yes_or_no: Path, tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    run(yes_or_no, "--spec", "compare_and_set", "--junit", file)
    suite = xml.parse(file).getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("15", "0", "0")
    assert {case.get("name") for case in suite} >= {
        "contend",
        "A-B-A",
        "high differs",
        "rules",
        "random runs",
    }
    run(classic, "--spec", "compare_exchange", "--junit", file)
    suite = xml.parse(file).getroot()[0]
    (failure,) = suite.iter("failure")
    assert "torn" in str(failure.get("message"))
    assert "--replay" in str(failure.text)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_the_drawing_shows_every_step_of_the_trace(
    classic: Path, yes_or_no: Path, tmp_path: Path
) -> None:
    file = tmp_path / "trace.svg"
    run(classic, "--spec", "compare_exchange", "--svg", file)
    texts = [one.text or "" for one in xml.parse(file).iter("{http://www.w3.org/2000/svg}text")]
    assert [text for text in texts if text.isdigit()] == ["1", "2", "3", "4", "5"]
    assert {"CPU 0", "CPU 1", "stores {11, 21}", "reads hi = 21"} <= set(texts)
    run(yes_or_no, "--spec", "compare_and_set", "--svg", file)
    assert "right: all interleavings" in file.read_text()


def test_where_nobody_can_finish_the_trace_goes_round_and_its_replay_is_wrong_too(
    tmp_path: Path,
) -> None:
    asked = (SPECIMENS / "mistakes/shared_granule.s", "--spec",
             SPECIMENS / "mistakes/shared_granule.toml")  # fmt: skip
    result = run(*asked, "--svg", tmp_path / "trace.svg")
    assert result.returncode == 1
    assert "from here on, for ever:" in (tmp_path / "trace.svg").read_text()
    _, after = result.stdout.split("  from here on, for ever:\n")
    assert "does not store" in after
    replay = re.search(r"--replay '(.*)'", result.stdout)
    assert replay is not None
    again = run(*asked, "--replay", replay[1])
    assert again.returncode == 1
    assert "no CPU can finish from here, whatever happens" in again.stdout


def test_a_step_that_faults_does_nothing() -> None:
    result = run("words:a9000801,d65f03c0", "--spec", "store", "--model", "page=readonly")
    assert result.returncode == 1  # stp x1, x2, [x0]
    assert "stp x1, x2, [x0]  is refused" in result.stdout
    load = run("kernel:dwcas_pair_load_relaxed_lse2", "--model", "page=readonly")
    assert (load.returncode, "beside" in load.stdout) == (0, False)


def test_the_report_fits_a_terminal_with_many_calls_and_wide_values(yes_or_no: Path) -> None:
    for arguments in (["--calls", "4", "--limit", "1000"], []):
        result = run(yes_or_no, "--spec", "fetch_max_signed", *arguments)
        assert max(map(len, result.stdout.splitlines())) <= 80


def test_ours_are_listed_and_each_name_is_one_to_check() -> None:
    names = run("--list").stdout.splitlines()
    assert len(names) > 500
    assert run(names[0]).returncode == 0
    assert names[-1] == "mutex is not checked, as it calls pthread_mutex_lock"


def test_words_on_the_command_line_are_a_sequence() -> None:
    casp = "words:aa0103e8,aa0203e9,aa0303ea,aa0403eb,48687c0a,f940001f,d65f03c0"
    assert run(casp, "--spec", "load").returncode == 1
    assert run("words:d65f03c0", "--spec", "store").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--spec", "load"], "FILE[:SYMBOL] is missing: what to check; or --all, --list"),
        (["nowhere.s", "--spec", "load"], "nowhere.s: No such file or directory"),
        (["words:d65f03c", "--spec", "load"],
         "words: 'd65f03c' is no instruction word of 8 hexadecimal digits"),
        (["kernel:ours"], "kernel:ours: no such kernel; `atomics check --list` has all"),
        (["kernel:dwcas_reserve_mutex_lse"],
         "kernel:dwcas_reserve_mutex_lse: not checked, as it calls pthread_mutex_lock"),
        (["words:d65f03c0", "--spec", "lode"], "spec lode: no such operation, and no file; one of"),
        (["words:d65f03c0"], "--spec is missing: the operation that the sequence should be"),
        (["words:d65f03c0", "--spec", "load", "--model", "pair=split"],
         "model pair: no such option; one of pairs, monitor,"),
        (["words:d65f03c0", "--spec", "load", "--model", "pairs=torn"],
         "model pairs=torn: one of split, atomic"),
        (["words:d65f03c0", "--spec", "load", "--model", "granule=24"],
         "model granule=24: one of 16, 32,"),
        (["words:d65f03c0", "--spec", "load", "--model", "spurious=-1"],
         "model spurious=-1: 0 to 100, or unlimited"),
        (["words:d65f03c0", "--spec", "load", "--model", "split"],
         "model split: write key=value; keys: pairs,"),
        (["words:d65f03c0", "--spec", "load", "--model", "monitor=value"],
         "model monitor=value: needs pairs=atomic, as emulators never tear"),
        (["words:d65f03c0", "--spec", "load", "--engine", "herd"],
         "engine herd: one of native, python"),
        (["words:d65f03c0", "--spec", "load", "--cpus", "9"],
         "Invalid value for '--cpus'"),
        (["words:d65f03c0", "--spec", "load", "--json", "/"],
         "json /: cannot be written (a folder; name a file in it)"),
        (["words:d65f03c0", "--spec", "load", "--json", "-", "--svg", "-"],
         "svg -: json is written there already"),
        (["words:d65f03c0", "--spec", "load", "--json", "a", "--replay", "beside a writer: 0"],
         "json a: a replay writes no file; leave one of them out"),
        (["words:d65f03c0", "--spec", str(SPECIMENS / "mistakes/alone.toml"), "--cpus", "3"],
         f"cpus 3: [[cpu]] of {SPECIMENS / 'mistakes/alone.toml'} says who calls"),
        (["words:d65f03c0", "--spec", "load", "--replay", "contend: 0"],
         "replay 'contend: 0': 'SCENARIO: STEPS'; scenarios here: beside a writer"),
        (["words:d65f03c0", "--spec", "load", "--replay", "beside a writer: 0z"],
         "replay '0z': a CPU's number, then l, h, s, f, x or nothing"),
        (["words:d65f03c0", "--spec", "load", "--replay", "beside a writer: 7"],
         "replay: "),
    ],
)  # fmt: skip
def test_a_wrong_request_is_one_line_and_exit_2(arguments: list[str], line: str) -> None:
    assert refused(*arguments).startswith(line)


def test_a_step_that_is_not_possible_is_named(classic: Path) -> None:
    line = refused(classic, "--spec", "compare_exchange", "--replay", "contend: 0l 0s")
    assert line == "replay: step 2, 0s, is not possible there; possible: 0 1l 1h"


def test_a_full_disk_loses_the_file_and_not_the_report(classic: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("/dev/full is not there")
    result = run(classic, "--spec", "compare_exchange", "--json", "/dev/full")
    assert result.returncode == 3
    assert "verdict     wrong" in result.stdout
    assert result.stderr == (
        "atomics: error: writing failed (No space left on device): /dev/full\n"
    )


def test_long_work_says_where_it_is_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(check_run, "monotonic", lambda: now[0])
    with check_run.Progress() as progress:
        for states in (1, 2, 3):
            now[0] += 6.0
            progress.show("contend, states", 1000 * states)
    assert capsys.readouterr() == ("", "contend, states: 2,000\n")


def test_ctrl_c_keeps_what_was_explored(
    yes_or_no: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def show(self: object, name: str, states: int) -> None:
        if name == "chain, states":  # the second scenario
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(check_run.Progress, "show", show)
    file = tmp_path / "partial.json"
    request = check_run.Request(
        str(yes_or_no), "compare_and_set", 2, 1, None, [], "python", "own", 1000, json=str(file),
        junit=str(tmp_path / "partial.xml"),
    )  # fmt: skip
    assert check_run.run("atomics", request) == 130
    out, err = capsys.readouterr()
    assert err == "atomics: interrupted: what was explored is kept\n"
    document = json.loads(file.read_text())
    jsonschema.validate(document, SCHEMA)
    done, cut = document["explore"]
    assert (done["scenario"], done["result"]) == ("contend", "right")
    assert (cut["scenario"], cut["result"], cut["reason"]) == (
        "chain",
        "not decided",
        "interrupted",
    )
    (suite,) = xml.fromstring((tmp_path / "partial.xml").read_text())
    assert (suite.get("failures"), suite.get("errors")) == ("0", "2")  # no green report
    assert document["verdict"]["interrupted"] is True
    assert f"not decided: interrupted after {document['explore'][0]['states']} states" in out
