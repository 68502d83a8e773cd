# SPDX-License-Identifier: MIT
"""Ways in which one CPU alone goes wrong, and what the machine cannot decide."""

from __future__ import annotations


class Fault(Exception):
    """The sequence did what no right sequence does: one line that says what.

    ``rule``: the id under which it is listed; ``address`` of the instruction, None: at the end."""

    def __init__(self, text: str, rule: str = "fault", address: int | None = None) -> None:
        super().__init__(text)
        self.rule, self.address = rule, address


class Undecided(Exception):
    """The machine cannot follow the sequence any further: one line that says why."""
