# SPDX-License-Identifier: MIT
"""A drawing as SVG: to stand in a page, or as a file of its own.

matplotlib draws it. Here its ids are made the page's own, each mark learns where in the JSON its
figure stands (``data-at``) and says it when pointed at, and colours become variables of the page,
which by night are others. Text is text: it can be searched and scales.
"""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree as Tree

from wal_bench.report.drawing import Drawing, Mark, Plot, look
from wal_bench.report.palette import NIGHTLY, PAPER

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_HREF = f"{{{_XLINK}}}href"
_FONT = re.compile(r"\bfont: *(?:(\w+) )?([\d.]+)px [^;]*")
_FAMILY = "system-ui, 'DejaVu Sans', sans-serif"
_DPI = 200


def variable(color: str) -> str:
    """The page's name of a colour."""
    return f"--c{color.removeprefix('#')}"


def _tag(name: str) -> str:
    return f"{{{_SVG}}}{name}"


def _tree(plot: Plot) -> Tree.Element:
    out = io.StringIO()
    with look():
        plot.drawing.figure.savefig(
            out,
            format="svg",
            transparent=True,
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
    root = Tree.fromstring(out.getvalue())
    for one in root.findall(_tag("metadata")):
        root.remove(one)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", plot.title)
    root.set("font-family", _FAMILY)
    return root


def _mark(root: Tree.Element, drawing: Drawing) -> None:
    """Tell each mark what it stands for."""
    groups = {group.get("id"): group for group in root.iter(_tag("g"))}
    for name, marks in drawing.marks.items():
        group = groups[name]
        shapes = [*group.iter(_tag("use"))] or [*group.findall(_tag("path"))]
        if len(shapes) != len(marks):
            raise AssertionError(f"{name}: {len(marks)} marks, {len(shapes)} are drawn")
        for shape, mark in zip(shapes, marks, strict=True):
            _name(shape, mark)


def _name(shape: Tree.Element, mark: Mark) -> None:
    shape.set("data-at", mark.at)
    title = Tree.SubElement(shape, _tag("title"))
    title.text = mark.text


def _own(root: Tree.Element, prefix: str) -> None:
    """Make ids the drawing's own, and leave the family of fonts to its root."""
    for one in root.iter():
        if "id" in one.attrib:
            one.set("id", prefix + one.attrib["id"])
        for key, value in one.attrib.items():
            if key == _HREF:
                one.set(key, f"#{prefix}{value.removeprefix('#')}")
            elif "url(#" in value:
                one.set(key, value.replace("url(#", f"url(#{prefix}"))
            elif key == "style" and "font:" in value:
                one.set(key, _FONT.sub(_font, value))


def _font(found: re.Match[str]) -> str:
    weight = f"; font-weight: {found[1]}" if found[1] else ""
    return f"font-size: {found[2]}px{weight}"


def _text(root: Tree.Element) -> str:
    Tree.register_namespace("", _SVG)
    Tree.register_namespace("xlink", _XLINK)
    return Tree.tostring(root, encoding="unicode")


def inline(plot: Plot, prefix: str) -> str:
    """To stand in a page, whose ids that begin so are its own."""
    root = _tree(plot)
    _mark(root, plot.drawing)
    _own(root, prefix)
    for one in root.iter():
        for key in ("style", "fill", "stroke"):
            if value := one.get(key):
                one.set(key, _varied(value))
    return _text(root)


def _varied(style: str) -> str:
    for color in NIGHTLY:
        style = style.replace(color, f"var({variable(color)})")
    return style


def standalone(plot: Plot) -> str:
    """A file of its own, on paper."""
    root = _tree(plot)
    _mark(root, plot.drawing)
    _own(root, "")
    paper = Tree.Element(_tag("rect"), {"width": "100%", "height": "100%", "fill": PAPER})
    root.insert(0, paper)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{_text(root)}\n'


def png(plot: Plot) -> bytes:
    """As pixels, on paper."""
    out = io.BytesIO()
    with look():
        plot.drawing.figure.savefig(out, format="png", dpi=_DPI, facecolor=PAPER)
    return out.getvalue()
