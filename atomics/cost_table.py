# SPDX-License-Identifier: MIT
"""The costs as a table for a terminal: median ns, 79 columns at most."""

from __future__ import annotations

from statistics import median

from atomics.cost import STATES, Costs


def _cell(samples: list[float] | None) -> str:
    if not samples:
        return "-"
    value = median(samples)
    return f"{value:.0f}" if value >= 99.5 else f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"


def _row(first: str, cells: list[str]) -> str:
    return f"{first:<19}" + "".join(f"{cell:>10}" for cell in cells)


def render(costs: Costs) -> str:
    """Every part that was measured, and what could not be."""
    names = [level.name for level in costs.levels]
    lines = ["ns per operation, lines in", _row("", names)]
    for operation in costs.operations:
        mark = "" if operation.returns else " *"
        samples = [costs.local.get((operation.name, name)) for name in names]
        lines.append(_row(operation.name + mark, [_cell(s) for s in samples]))
    for distance, (owner, cpu) in costs.pairs.items():
        lines += ["", f"CPU {cpu}, lines that CPU {owner} ({distance}) has", _row("", [*STATES])]
        for operation in costs.operations:
            mark = "" if operation.returns else " *"
            found = [costs.remote.get((operation.name, distance, state)) for state in STATES]
            lines.append(_row(operation.name + mark, [_cell(s) for s in found]))
    if costs.handoff:
        lines += ["", "hand-off between CPUs, ns", _row("", ["8-byte", "16-byte"])]
        for a, b in _extremes(costs):
            both = [costs.handoff.get((a, b, wide)) for wide in (False, True)]
            lines.append(_row(f"{a} and {b}", [_cell(s) for s in both]))
    lines += ["", "* a store returns nothing and overlaps with the next: throughput, not latency"]
    if costs.cycle:
        lines.append(f"one cycle is {median(costs.cycle):.3f} ns (a dependent addition)")
    return "\n".join(lines + [f"not measured: {text}" for text in costs.missing])


def _extremes(costs: Costs) -> list[tuple[int, int]]:
    """Up to 12 pairs: all, or the fastest and the slowest."""
    timed = sorted(
        (median(samples), (a, b))
        for (a, b, wide), samples in costs.handoff.items()
        if samples and not wide
    )
    pairs = [pair for _, pair in timed]
    return sorted(pairs) if len(pairs) <= 12 else pairs[:6] + pairs[-6:]
