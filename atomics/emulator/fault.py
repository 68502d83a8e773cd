# SPDX-License-Identifier: MIT
"""Ways in which one CPU alone goes wrong, and what the machine cannot decide."""

from __future__ import annotations


class Fault(Exception):
    """The sequence did what no right sequence does: one line that says what."""


class Undecided(Exception):
    """The machine cannot follow the sequence any further: one line that says why."""
