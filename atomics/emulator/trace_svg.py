# SPDX-License-Identifier: MIT
"""A trace as a drawing: one column per CPU, the pair in the middle, time downwards."""

from __future__ import annotations

from xml.sax.saxutils import escape

from atomics.emulator.check import WRONG, Explored, Verdict
from atomics.emulator.properties import shown_pair
from atomics.emulator.report import calls_text, summary, wrapped
from atomics.emulator.trace import Line

_COLUMN, _PAIR, _GAP, _ROW, _BOX = 290, 150, 46, 66, 44
_LEFT = 56
_INK, _GREY, _RED, _BLUE, _PALE = "#1f2328", "#6e7781", "#b42318", "#0b5394", "#f6f8fa"


def _text(x: float, y: float, words: str, **style: str) -> str:
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x:g}" y="{y:g}"{attributes}>{escape(words)}</text>'


def _fitted(words: str, width: int) -> str:
    """Cut to about that many characters."""
    return words if len(words) <= width else words[: width - 1] + "…"


class _Layout:
    """Where the columns are: CPUs left and right of the pair."""

    def __init__(self, cpus: int) -> None:
        left = (cpus + 1) // 2
        x = float(_LEFT)
        self.columns: list[float] = []
        for cpu in range(cpus):
            if cpu == left:
                self.pair = x
                x += _PAIR + _GAP
            self.columns.append(x)
            x += _COLUMN + _GAP
        if cpus <= left:
            self.pair = x
            x += _PAIR + _GAP
        self.width = x - _GAP + 24

    def faces_right(self, cpu: int) -> bool:
        return self.columns[cpu] < self.pair


def _arrow(layout: _Layout, line: Line, y: float) -> str:
    """From the pair where the step reads, to the pair where it stores."""
    stores = line.before != line.after or line.effect.startswith(("writes", "stores"))
    silent = line.effect.startswith(("does not", "an exception")) or not line.effect
    if silent:
        return ""
    if layout.faces_right(line.cpu):
        near, pair = layout.columns[line.cpu] + _COLUMN, layout.pair
    else:
        near, pair = layout.columns[line.cpu], layout.pair + _PAIR
    start, end = (near, pair) if stores else (pair, near)
    colour = _RED if stores else _BLUE
    return (
        f'<line x1="{start:g}" y1="{y:g}" x2="{end + (-11 if end > start else 11):g}" y2="{y:g}" '
        f'stroke="{colour}" stroke-width="1.6" marker-end="url(#{"red" if stores else "blue"})"/>'
    )


def _step(layout: _Layout, number: int, line: Line, y: float, last: bool) -> list[str]:
    x = layout.columns[line.cpu]
    stroke = _RED if last else "#afb8c1"
    made = [
        _text(_LEFT - 14, y + 27, str(number), text_anchor="end", fill=_GREY),
        f'<rect x="{x:g}" y="{y:g}" width="{_COLUMN}" height="{_BOX}" rx="5" fill="white" '
        f'stroke="{stroke}" stroke-width="{2 if last else 1}"/>',
        _text(x + 10, y + 18, _fitted(line.instruction, 38), class_="code", fill=_INK),
        _text(x + 10, y + 36, _fitted(line.effect, 42), fill=_GREY),
        _arrow(layout, line, y + _BOX / 2),
    ]
    changed = line.before != line.after
    made.append(
        _text(
            layout.pair + _PAIR / 2,
            y + 27,
            shown_pair(line.after),
            text_anchor="middle",
            class_="code",
            fill=_RED if changed else _INK,
            font_weight="bold" if changed else "normal",
        )
    )
    return made


def _for_ever(layout: _Layout, y: float) -> list[str]:
    right = layout.width - 24
    return [
        f'<line x1="{_LEFT}" y1="{y:g}" x2="{right:g}" y2="{y:g}" stroke="{_RED}" '
        'stroke-dasharray="6 4"/>',
        _text(_LEFT, y + 18, "from here on, for ever:", fill=_RED, font_weight="bold"),
    ]


def _trace(one: Explored) -> tuple[list[str], _Layout, float]:
    layout = _Layout(len(one.world.calls))
    y, made = 132.0, []
    for number, line in enumerate(one.trace, 1):
        if number - 1 == one.repeats:
            made += _for_ever(layout, y)
            y += 30
        last = number == len(one.trace)
        made += _step(layout, number, line, y, last)
        y += _ROW
        if line.returned is not None:
            colour = _RED if last else _INK
            for row in wrapped("returns " + line.returned.partition(" returns ")[2], 38):
                x = layout.columns[line.cpu] + 10
                made.append(_text(x, y - 8, row, fill=colour, font_weight="bold"))
                y += 17
    return made, layout, y


def render(verdict: Verdict) -> str:
    """The shortest trace to what goes wrong, or one line where nothing does."""
    walked = [verdict.walks.wrong] if verdict.walks and verdict.walks.wrong else []
    searched = [*verdict.explored, *walked]
    wrong = next((one for one in searched if one.result == WRONG and one.trace), None)
    if wrong is None:
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="60" viewBox="0 0 800 60" '
            'font-family="sans-serif" font-size="14"><rect width="100%" height="100%" '
            'fill="white"/>'
            f"{_text(20, 36, _fitted(f'{verdict.image.source}: {summary(verdict)}', 105))}</svg>"
        )
    steps, layout, y = _trace(wrong)
    reason = wrapped(f"Wrong: {wrong.reason}", int(layout.width / 8.9))
    height = y + 20 + 20 * len(reason)
    head = [
        _text(20, 30, f"{verdict.image.source} as {verdict.specification.name}", font_size="17",
              font_weight="bold"),
        _text(20, 52, f"Shortest way to what goes wrong, scenario {wrong.scenario.name}: one box "
              "per step, time downwards", fill=_GREY),
    ]  # fmt: skip
    for cpu, row in enumerate(calls_text(wrong)):
        x = layout.columns[cpu]
        words = row.partition("  ")[2]
        head.append(_text(x, 84, f"CPU {cpu}", font_weight="bold"))
        for at, part in enumerate(wrapped(words, 40)[:2]):
            head.append(_text(x, 102 + 16 * at, part, fill=_GREY, font_size="12.5"))
    middle = layout.pair + _PAIR / 2
    head += [
        _text(middle, 84, "the pair {lo, hi}", text_anchor="middle", font_weight="bold"),
        _text(middle, 102, shown_pair(wrong.scenario.initial) + " at first", text_anchor="middle",
              class_="code", fill=_GREY),
        f'<rect x="{layout.pair:g}" y="112" width="{_PAIR}" height="{y - 118:g}" fill="{_PALE}"/>',
    ]  # fmt: skip
    foot = [
        _text(20, y + 18 + 20 * at, row, fill=_RED, font_weight="bold")
        for at, row in enumerate(reason)
    ]
    markers = "".join(
        f'<marker id="{name}" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{colour}"/></marker>'
        for name, colour in (("red", _RED), ("blue", _BLUE))
    )
    body = "\n".join([*head, *steps, *foot]).replace('class-="', 'class="')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{layout.width:g}" height="{height:g}" '
        f'viewBox="0 0 {layout.width:g} {height:g}" font-family="sans-serif" font-size="13.5">\n'
        f"<title>{escape(verdict.image.source)}: {escape(summary(verdict))}</title>\n"
        f"<style>.code {{ font-family: monospace }}</style><defs>{markers}</defs>\n"
        f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>'
    )
