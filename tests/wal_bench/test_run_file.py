# SPDX-License-Identifier: MIT
"""Files of runs read back: what is in them, and one clear line for whatever is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.wal_bench import made_documents
from wal_bench import run_file
from wal_bench.errors import UsageError
from wal_bench.run_file import Heat


def saved(path: Path, document: object) -> str:
    file = path / "made.json"
    file.write_text(json.dumps(document))
    return str(file)


def refusal(file: str) -> str:
    with pytest.raises(UsageError) as refused:
        run_file.read(file)
    text = str(refused.value)
    assert "\n" not in text
    assert text.startswith(f"{file}: ")
    return text.removeprefix(f"{file}: ")


def test_a_run_has_the_figures_of_its_file(tmp_path: Path) -> None:
    document = made_documents.run()
    document["results"][5]["jain"] = None
    document["results"][5]["a later version's"] = {"median": "?"}
    found = run_file.read(saved(tmp_path, document))
    assert (found.inserts, found.ratio, found.baseline, found.cpus) == (
        False,
        "ratio_to_spin",
        "spin",
        2,
    )
    assert found.names == made_documents.METHODS
    assert found.heats == (Heat(1), Heat(2), Heat(4))
    one = found.result("ttas", Heat(2))
    assert one is not None
    assert one.at == "results/5"
    assert "jain" not in one.figures
    given = document["results"][5]["ratio_to_bound"]
    assert one.figures["ratio_to_bound"].low == given["low"]
    assert one.latency["p999"].n == 9
    assert found.result("ttas", Heat(3)) is None
    assert found.verdict.standings[2].winners == ("spin",)


def test_an_insertion_keeps_heats_apart_by_how_they_flush(tmp_path: Path) -> None:
    document = made_documents.insert()
    found = run_file.read(saved(tmp_path, document))
    assert found.inserts
    assert found.flushes == ("none", "tmpfs")
    assert len(found.heats) == 4
    one = found.result("mutex, no gates", Heat(2, "tmpfs"))
    assert one is not None
    assert (one.method, one.gates) == ("mutex", 0)
    assert one.figures["lag_max_bytes"].n == 9


def _edited(edit: Callable[[dict[str, Any]], object]) -> Any:
    document = made_documents.run()
    edit(document)
    return document


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "another schema": (
        lambda d: d.update(schema="dwcas.cost/1"),
        "schema 'dwcas.cost/1': only dwcas.run/1 or dwcas.insert/1 can be read here",
    ),
    "no schema": (lambda d: d.pop("schema"), "the key 'schema' is missing"),
    "no machine": (lambda d: d.pop("machine"), "the key 'machine' is missing"),
    "no figure": (lambda d: d["results"][3].pop("jain"), "results/3: the key 'jain' is missing"),
    "no results": (lambda d: d["results"].clear(), "results: [] is not a list with at least"),
    "text for a number": (
        lambda d: d["results"][3]["jain"].update(low="1"),
        'results/3/jain/low: "1" is not a number',
    ),
    "true for a number": (
        lambda d: d["results"][0].update(threads=True),
        "results/0/threads: true is not a number",
    ),
    "no thread": (
        lambda d: d["results"][0].update(threads=0),
        "results/0/threads: 0 is not a number from 1",
    ),
    "part of a thread": (
        lambda d: d["results"][0].update(threads=1.5),
        "results/0/threads: 1.5 is not a whole number",
    ),
    "more than anything": (
        lambda d: d["results"][0].update(threads=10**400),
        "is not a number from 1 to 1e+18",
    ),
    "negative": (
        lambda d: d["results"][3]["ops_per_s"].update(low=-1),
        "results/3/ops_per_s/low: -1 is not a number from 0",
    ),
    "an interval beside its median": (
        lambda d: d["results"][3]["ops_per_s"].update(high=1),
        "is not a figure: low <= median <= high",
    ),
    "a list for an object": (lambda d: d.update(plan=[1]), "plan: [1] is not an object"),
    "null for the verdict": (lambda d: d.update(verdict=None), "verdict: null is not an object"),
    "a cell twice": (
        lambda d: d["results"].append(d["results"][0]),
        "results/12: 'spin' is there twice",
    ),
    "a winner from elsewhere": (
        lambda d: d["verdict"]["by_threads"][0].update(winners=["mcs"]),
        "verdict: the winner 'mcs' has no entry in results",
    ),
    "a text that nothing can show": (
        lambda d: d["machine"].update(cpu="\ud800"),
        "U+D800 in a text cannot be shown",
    ),
    "a control character": (
        lambda d: d["results"][0].update(method="spin\x1b[1m"),
        "U+001B in a text cannot be shown",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(name: str, tmp_path: Path) -> None:
    edit, said = WRONG[name]
    assert said in refusal(saved(tmp_path, _edited(edit)))


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999"])
def test_what_no_json_number_is_is_refused(value: str, tmp_path: Path) -> None:
    text = json.dumps(made_documents.run()).replace('"seed": 86', f'"seed": {value}')
    file = tmp_path / "made.json"
    file.write_text(text)
    assert value in refusal(str(file))


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "made.json"
    text = json.dumps(made_documents.run(("spin",), (1,)))
    for length in range(len(text)):
        file.write_text(text[:length])
        assert "cannot be used as JSON" in refusal(str(file))


def test_any_value_may_be_anything_else_and_still_there_is_an_answer(tmp_path: Path) -> None:
    """Each value in turn replaced by each of several: the file is read, or refused in a line."""
    answers = set()
    for document in (made_documents.run(("spin",), (1,)), made_documents.insert((8,), ("none",))):
        for holder, key in _places(document):
            kept = holder[key]
            for other in (None, -1, "", [None], {}):
                holder[key] = other
                answers.add(_answer(saved(tmp_path, document)))
            holder[key] = kept
    assert answers == {"read", "refused"}


def _answer(file: str) -> str:
    try:
        run_file.read(file)
    except UsageError as refused:
        return "several lines" if "\n" in str(refused) else "refused"
    return "read"


def _places(value: Any) -> list[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else range(len(value))
    found = [(value, key) for key in keys]
    for key in keys:
        if isinstance(value[key], dict | list):
            found += _places(value[key])
    return found


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "cannot be read"), (b"\xff\xfe", "not UTF-8"), (b"", "JSON"), (b"[" * 10**5, "JSON")],
)
def test_what_is_no_document_is_refused(content: bytes | None, said: str, tmp_path: Path) -> None:
    file = tmp_path / "made.json"
    if content is not None:
        file.write_bytes(content)
    assert said in refusal(str(file))
    assert "cannot be read" in refusal(str(tmp_path))
