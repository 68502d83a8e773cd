# SPDX-License-Identifier: MIT
"""What an oracle says: rules that were broken, each with its first offender."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Finding:
    """One broken rule."""

    rule: str
    text: str


def first(rule: str, wrong: npt.NDArray[np.bool_], say: str, *columns: object) -> list[Finding]:
    """One finding for the rows where ``wrong``; ``say`` is filled from the columns' first row."""
    at = np.flatnonzero(wrong)
    if not at.size:
        return []
    values = [column[at[0]] for column in columns]  # type: ignore[index]
    more = f" ({at.size} in all)" if at.size > 1 else ""
    return [Finding(rule, say.format(*values) + more)]
