# SPDX-License-Identifier: MIT
"""``python -P -m atomics.instruction_page csrc/pair/README.md`` makes the tables there anew."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from atomics.sequences import data, shown


def _markdown(architecture: str) -> str:
    """One line per row of the data."""
    lines = ["| operation | order | backend | instructions | why |", "|---|---|---|---|---|"]
    for row in data()[architecture]:
        but = sorted({e.partition(":")[2] for e in row.get("except", ())})
        one = shown(row, but)
        names = one["operations"] + (" of `lse128`" if but else "")
        where = ", ".join(f"`{name}`" for name in row["backends"])
        lines.append(f"| {names} | {one['orders']} | {where} | {one['code']} | {one['why']} |")
    return "\n".join(lines)


def rewritten(text: str) -> str:
    """A Markdown text with what stands between ``<!-- table: ARCH -->`` and ``<!-- end -->``
    made anew."""
    return re.sub(
        r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}{_markdown(found[2])}\n{found[3]}",
        text,
        flags=re.DOTALL,
    )


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")
