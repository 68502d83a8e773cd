# SPDX-License-Identifier: MIT
"""The hand-off between CPUs as a heat map: one SVG, no script, no font of its own."""

from __future__ import annotations

from statistics import median
from xml.sax.saxutils import escape

from atomics.cost import Costs

_CELL, _LEFT, _TOP = 44, 60, 78
_LIGHT, _DARK = (0xFF, 0xF4, 0xE5), (0x9A, 0x3B, 0x00)


def _colour(share: float) -> str:
    return "#" + "".join(
        f"{round(a + (b - a) * share):02x}" for a, b in zip(_LIGHT, _DARK, strict=True)
    )


def _map(costs: Costs, wide: bool, left: int, title: str) -> list[str]:
    found = {
        (a, b): median(samples)
        for (a, b, kind), samples in costs.handoff.items()
        if kind == wide and samples
    }
    cpus = sorted({cpu for pair in found for cpu in pair})
    low, high = min(found.values()), max(found.values())
    lines = [f'<text x="{left}" y="48" font-size="14" font-weight="bold">{escape(title)}</text>']
    for n, cpu in enumerate(cpus):
        middle = _CELL // 2 + 5
        x, y = left + n * _CELL + _CELL // 2, _TOP + n * _CELL + middle
        lines.append(f'<text x="{x}" y="{_TOP - 8}" text-anchor="middle">{cpu}</text>')
        lines.append(f'<text x="{left - 8}" y="{y}" text-anchor="end">{cpu}</text>')
    for row, a in enumerate(cpus):
        for column, b in enumerate(cpus):
            x, y = left + column * _CELL, _TOP + row * _CELL
            value = found.get((min(a, b), max(a, b)))
            share = 0.0 if value is None or high == low else (value - low) / (high - low)
            fill = "#f0f0f0" if value is None else _colour(share)
            lines.append(
                f'<rect x="{x}" y="{y}" width="{_CELL - 1}" height="{_CELL - 1}" fill="{fill}"/>'
            )
            if value is not None:
                ink = "#ffffff" if share > 0.55 else "#1f2328"
                lines.append(
                    f'<text x="{x + _CELL // 2}" y="{y + _CELL // 2 + 5}" text-anchor="middle" '
                    f'fill="{ink}">{value:.0f}</text>'
                )
    return lines


def render(costs: Costs) -> str:
    """Both maps side by side. ValueError where no hand-off was measured."""
    cpus = {cpu for (a, b, _), samples in costs.handoff.items() if samples for cpu in (a, b)}
    if not cpus:
        raise ValueError("no hand-off was measured: a heat map needs two CPUs")
    side = max(len(cpus) * _CELL, 190)
    second = _LEFT + side + _LEFT
    width, height = second + side + 20, _TOP + len(cpus) * _CELL + 20
    body = _map(costs, False, _LEFT, "8-byte store") + _map(costs, True, second, "16-byte CAS")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="Helvetica, Arial, sans-serif" '
            'font-size="13" fill="#1f2328">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            '<text x="20" y="24" font-size="15">Hand-off between CPUs, ns (one way)</text>',
            *body,
            "</svg>",
        ]
    )
