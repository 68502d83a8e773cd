# SPDX-License-Identifier: MIT
"""The page of a run, read again: every figure in it stands in the JSON, and where it says."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Tree

import numpy as np
import pytest

from tests.wal_bench import made_documents
from wal_bench import run_file
from wal_bench.report import build

Told = tuple[dict[str, Any], Tree.Element]
SVG = "{http://www.w3.org/2000/svg}"
UNITS = {
    "Mops/s": 1e-6,
    "Mrec/s": 1e-6,
    "MB/s": 1e-6,
    "lag KiB": 1 / 1024,
    "max KiB": 1 / 1024,
    "wait us": 1e-3,
}


def report(tmp_path: Path, *documents: dict[str, Any]) -> build.Report:
    files = []
    for number, document in enumerate(documents):
        file = tmp_path / f"made{number}.json"
        file.write_text(json.dumps(document))
        files.append(run_file.read(str(file)))
    return build.build(files)


def page(tmp_path: Path, *documents: dict[str, Any]) -> Tree.Element:
    """Read as XML, which is stricter than HTML: whatever was not escaped ends it."""
    return Tree.fromstring(report(tmp_path, *documents).page)


def at(document: Any, place: str) -> Any:
    for key in place.split("/"):
        document = document[int(key) if isinstance(document, list) else key]
    return document


def shown_as(text: str, value: float) -> bool:
    """Whether a text is that value, rounded to the digits it has."""
    if text == "<0.01":
        return value < 0.01
    digits = len(text.partition(".")[2])
    return abs(float(text) - value) <= 0.5000001 * 10**-digits


def marks(tree: Tree.Element, key: str) -> dict[str, Tree.Element]:
    """Marks of drawings by their place in the JSON."""
    found = [one for one in tree.iter() if one.tag.startswith(SVG) and "data-at" in one.attrib]
    return {place: one for one in found if (place := one.attrib["data-at"]).endswith(f"/{key}")}


DOCUMENTS: dict[str, Callable[[], dict[str, Any]]] = {
    "run": made_documents.run,
    "insert": made_documents.insert,
    "one thread count": lambda: made_documents.run(threads=(4,)),
    "many": lambda: made_documents.run((*(f"m{n}" for n in range(20)), "spin")),
}


@pytest.fixture(scope="module", params=DOCUMENTS)
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """A document and its page."""
    document = DOCUMENTS[request.param]()
    return document, page(tmp_path_factory.mktemp("told"), document)


def test_every_figure_of_the_tables_is_in_the_json(
    told: Told,
) -> None:
    document, tree = told
    seen = set()
    for table in tree.iter("table"):
        titles = [one.text or "" for one in table.findall("thead/tr/th")]
        for row in table.findall("tbody/tr"):
            for title, cell in zip(titles[1:], row.findall("td"), strict=True):
                for number in cell.iter("data"):
                    value = at(document, number.attrib["data-at"])
                    assert float(number.attrib["value"]) == value
                    assert shown_as(number.text or "", value * UNITS.get(title, 1))
                    seen.add(number.attrib["data-at"])
                name_ = "".join(row.find("th").itertext())  # type: ignore[union-attr]
                where = {one.attrib["data-at"].split("/")[1] for one in cell.iter("data")}
                for index in where:
                    result = document["results"][int(index)]
                    assert result.get("name", result["method"]) == name_
    figures = {
        f"results/{index}/{key}/median"
        for index, one in enumerate(document["results"])
        for key, value in one.items()
        if isinstance(value, dict) and "median" in value
    }
    assert figures <= seen, "every figure is in a table"


def test_no_number_of_the_page_is_from_elsewhere(told: Told) -> None:
    document, tree = told
    body = tree.find("body")
    assert body is not None
    numbers = re.compile(r"\d+(?:\.\d+)?")
    found = {number for text in _prose(body) for number in numbers.findall(text)}
    known = set(numbers.findall(json.dumps(document)))
    of_ours = {"50", "90", "99", "99.9", "95"}  # the names of percentiles
    counts = {str(count) for count in range(len(document["results"]) + 1)}  # "12 others"
    assert found <= known | of_ours | counts
    assert "4.25" in found, "the verdict's own words"


def _prose(one: Tree.Element) -> Iterator[str]:
    """All text but that of figures and drawings, which are looked at by themselves."""
    if one.tag == "data" or one.tag.startswith(SVG) or one.get("class") == "source":
        return
    yield one.text or ""
    for child in one:
        yield from _prose(child)
        yield child.tail or ""


def test_every_mark_says_a_figure_of_the_json(told: Told) -> None:
    document, tree = told
    found = [one for one in tree.iter() if one.tag.startswith(SVG) and "data-at" in one.attrib]
    assert found
    for mark in found:
        figure = at(document, mark.attrib["data-at"])
        said = mark.find(f"{SVG}title")
        assert said is not None
        text = said.text or ""
        result = document["results"][int(mark.attrib["data-at"].split("/")[1])]
        who, shown = text.rsplit(": ", 1)
        assert who.startswith(f"{result.get('name', result['method'])}, {result['threads']} thread")
        parts = re.fullmatch(r"(\S+) \[(\S+), (\S+)\] (.*)", shown)
        assert parts
        for value, key in zip(parts.groups(), ("median", "low", "high"), strict=False):
            assert shown_as(value, figure[key] * UNITS.get(parts[4], 1)), text


def _straight(x: list[float], y: list[float]) -> bool:
    """Whether all lies on one line, within what an SVG's digits leave."""
    slope, start = np.polyfit(x, y, 1)
    return bool(np.allclose(np.asarray(x) * slope + start, y, atol=0.01)) and abs(slope) > 1e-9


@pytest.mark.parametrize(
    ("key", "scale"),
    [("ops_per_s", float), ("ratio_to_spin", math.log), ("jain", float), ("ns_per_op", math.log)],
)
def test_marks_stand_where_their_figures_are(
    key: str, scale: Callable[[float], float], tmp_path: Path
) -> None:
    document = made_documents.run()
    found = marks(page(tmp_path, document), key)
    assert set(found) == {f"results/{n}/{key}" for n in range(len(document["results"]))}
    places = [(float(one.attrib["x"]), float(one.attrib["y"])) for one in found.values()]
    cells = [document["results"][int(place.split("/")[1])] for place in found]
    assert _straight([math.log2(one["threads"]) for one in cells], [x for x, _ in places])
    assert _straight([scale(one[key]["median"]) for one in cells], [y for _, y in places])


def test_latencies_stand_where_they_are(tmp_path: Path) -> None:
    document = made_documents.run(threads=(2, 4))
    tree = page(tmp_path, document)
    for threads, first in ((2, 0), (4, 4)):
        places = {}
        for quantile in made_documents.QUANTILES:
            found = marks(tree, f"latency_ns/{quantile}")
            places |= {p: m for p, m in found.items() if int(p.split("/")[1]) // 4 * 4 == first}
        assert len(places) == 5 * 4, threads
        heights = [float(one.attrib["y"]) for one in places.values()]
        values = [math.log(at(document, place)["median"]) for place in places]
        assert _straight(values, heights)
        ranks = [made_documents.QUANTILES.index(place.rsplit("/", 1)[1]) for place in places]
        across = [float(one.attrib["x"]) for one in places.values()]
        order = [rank for _, rank in sorted(zip(across, ranks, strict=True))]
        assert order == sorted(ranks)


def test_one_thread_count_has_a_row_for_each_contender(tmp_path: Path) -> None:
    document = made_documents.run(threads=(4,))
    found = marks(page(tmp_path, document), "ops_per_s")
    rows = [float(found[f"results/{n}/ops_per_s"].attrib["y"]) for n in range(4)]
    assert rows == sorted(rows)
    assert len(set(rows)) == 4
    across = [float(found[f"results/{n}/ops_per_s"].attrib["x"]) for n in range(4)]
    assert _straight([one["ops_per_s"]["median"] for one in document["results"]], across)
    times = marks(page(tmp_path, document), "ns_per_op")
    across = [float(times[f"results/{n}/ns_per_op"].attrib["x"]) for n in range(4)]
    assert _straight([math.log(one["ns_per_op"]["median"]) for one in document["results"]], across)


def test_the_heat_map_has_a_square_for_each_gate_and_method(tmp_path: Path) -> None:
    document = made_documents.insert()
    paths = [one for one in page(tmp_path, document).iter(f"{SVG}path") if "data-at" in one.attrib]
    assert len(paths) == len(document["results"])
    for one in paths:
        ratio = at(document, one.attrib["data-at"])["median"]
        found = re.search(r"fill: #(..)(..)(..)", one.attrib["style"])
        assert found
        red, _, blue = (int(part, 16) for part in found.groups())
        if abs(math.log(ratio)) > 0.1:
            assert (blue > red) == (ratio > 1), "blue is faster"


def test_an_empty_figure_is_a_dash_and_a_broken_line(tmp_path: Path) -> None:
    document = made_documents.run()
    document["results"][5]["ops_per_s"] = None
    for one in document["results"]:
        one["jain"] = None
        one["latency_ns"] = None
    tree = page(tmp_path, document)
    assert "results/5/ops_per_s" not in marks(tree, "ops_per_s")
    assert len(marks(tree, "ops_per_s")) == len(document["results"]) - 1
    assert not marks(tree, "jain")
    text = " ".join("".join(tree.itertext()).split())
    assert "Not drawn, as no figure has a meaning here: Fairness; Latency, 1 thread;" in text
    cells = ["".join(cell.itertext()) for cell in tree.iter("td")]
    assert "-" in cells
    assert "None" not in cells
    assert "nan" not in text.lower().split()


def test_a_run_without_any_figure_still_has_its_page(tmp_path: Path) -> None:
    document = made_documents.run()
    document["verdict"] |= {"ended": "interrupted", "rounds_done": 0, "checked": False}
    document["verdict"]["by_threads"] = [{"threads": 1, "winners": []}]
    for one in document["results"]:
        for key, value in one.items():
            if isinstance(value, dict):
                one[key] = None
        one["windows"] = 0
    tree = page(tmp_path, document)
    warnings = [one.text for one in tree.iter("p") if one.get("class") == "warning"]
    assert warnings == [
        "Not every window passed its check.",
        "The run was interrupted; what was measured until then is here.",
    ]
    assert not list(tree.iter(f"{SVG}svg"))


def test_findings_and_disturbances_are_told(tmp_path: Path) -> None:
    document = made_documents.run()
    document["results"][2]["findings"] = [{"rule": "tile", "text": "a record <overlaps>"}]
    document["results"][3]["disturbed_windows"] = [{"round": 7, "text": "waited 19%"}]
    document["results"][3]["no_progress"] = [{"round": 8, "counts": [1, 2]}]
    document["verdict"]["text"].append("oracle: WRONG: cas128 with 1 thread")
    tree = page(tmp_path, document)
    text = "".join(tree.itertext())
    for said in ("A check failed", "tile: a record <overlaps>", "round 7: waited 19%"):
        assert said in text
    assert "round 8: no progress" in text
    (wrong,) = [one for one in tree.iter("div") if one.get("class") == "wrong"]
    assert "WRONG: cas128" in "".join(wrong.itertext())


NASTY = (
    "<script>alert(1)</script>",
    "_hidden",
    "$x_1$ & 'y\"",
    "{{ 7 * 7 }}",
    "長い名前",
    "n" * 300,
)


def test_names_are_text_whatever_is_in_them(tmp_path: Path) -> None:
    document = made_documents.run(("spin", *NASTY))
    document["machine"]["cpu"] = NASTY[0]
    document["plan"]["<b>"] = NASTY[0]
    made = report(tmp_path, document)
    tree = Tree.fromstring(made.page)
    assert not list(tree.iter("script"))
    rows = {"".join(one.itertext()) for one in tree.iter("th")}
    assert set(NASTY) <= rows
    drawn = {text for one in tree.iter(f"{SVG}text") if (text := "".join(one.itertext()).strip())}
    assert {"_hidden", NASTY[0], NASTY[2], NASTY[3], NASTY[4]} <= drawn, "in legends"
    build.write_plots(made, tmp_path)


def test_the_page_needs_nothing_else_and_has_no_script(tmp_path: Path) -> None:
    made = report(tmp_path, made_documents.insert(threads=(1,)))
    text = re.sub(r'xmlns(:\w+)?="[^"]*"', "", made.page)
    assert "//" not in text
    tree = Tree.fromstring(made.page)
    assert not {"script", "link", "img", "iframe", "object", f"{SVG}image"} & {
        one.tag for one in tree.iter()
    }
    for one in tree.iter():
        for key, value in one.attrib.items():
            if key.endswith(("href", "src")):
                assert value.startswith("#")
            assert not key.startswith("on")
    for reference in re.findall(r"url\(([^)]*)\)", text):
        assert reference.startswith("#")
    assert "@import" not in text


def test_ids_are_unique_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    tree = page(tmp_path, *(made_documents.run(threads=(1,)) for _ in range(3)))
    ids = [one.attrib["id"] for one in tree.iter() if "id" in one.attrib]
    assert len(ids) == len(set(ids))
    links = [value for one in tree.iter() for key, value in one.attrib.items() if "href" in key]
    assert links
    assert {link.removeprefix("#") for link in links} <= set(ids)
    assert len(list(tree.iter("main"))) == 3


def test_by_night_no_colour_of_the_day_is_left(tmp_path: Path) -> None:
    """Inline drawings name their colours by variables; only squares of heat maps have their own."""
    for svg in page(tmp_path, made_documents.run()).iter(f"{SVG}svg"):
        for one in svg.iter():
            for key in ("style", "fill", "stroke"):
                assert not re.search(r"#[0-9a-f]{6}\b", one.get(key, "")), one.attrib


def test_few_are_drawn_in_colour_and_all_are_drawn(tmp_path: Path) -> None:
    document = DOCUMENTS["many"]()
    tree = page(tmp_path, document)
    assert len(marks(tree, "ops_per_s")) == len(document["results"])
    first = next(tree.iter(f"{SVG}svg"))
    legend = [t for one in first.iter(f"{SVG}text") if (t := "".join(one.itertext()).strip())]
    named = [text for text in legend if re.fullmatch(r"m\d+|spin", text)]
    assert len(named) == 7
    assert "spin" in named


def test_the_same_json_makes_the_same_page(tmp_path: Path) -> None:
    assert (
        report(tmp_path, made_documents.run()).page == report(tmp_path, made_documents.run()).page
    )


def test_every_plot_is_written_as_svg_and_as_png(tmp_path: Path) -> None:
    made = report(tmp_path, made_documents.insert(threads=(1,)), made_documents.run(threads=(1, 2)))
    folder = tmp_path / "plots"
    folder.mkdir()
    written = build.write_plots(made, folder)
    drawn = list(Tree.fromstring(made.page).iter(f"{SVG}svg"))
    assert len(written) == len(set(written)) == 2 * len(drawn)
    for path in written:
        content = path.read_bytes()
        if path.suffix == ".png":
            assert content.startswith(b"\x89PNG\r\n\x1a\n")
            assert path.with_suffix(".svg") in written
        else:
            tree = Tree.fromstring(content)
            assert tree.tag == f"{SVG}svg"
            assert list(tree.iter(f"{SVG}text")), "text is text"
            assert "var(" not in content.decode()
