# SPDX-License-Identifier: MIT
"""Findings in the code of one sequence, beside what interleavings show.

To add a rule: a function from Subject to Findings in the file of its family, and its name here.
"""

from __future__ import annotations

from atomics.emulator.rules import abi, exclusives, ordering, words
from atomics.emulator.rules.finding import ERROR, ORDERS, WARNING, Finding, Rule, Subject

__all__ = ["ERROR", "ORDERS", "RULES", "WARNING", "Finding", "Rule", "Subject", "findings"]

RULES: tuple[Rule, ...] = (
    words.undefined,
    words.acquire_discarded,
    exclusives.mismatched,
    exclusives.between,
    exclusives.status_ignored,
    ordering.order,
    abi.flags_unset,
    abi.refused,
)


def findings(subject: Subject) -> list[Finding]:
    """What the rules find, each rule once per address, in address order."""
    found: dict[tuple[int, str], Finding] = {}
    for rule in RULES:
        for one in rule(subject):
            found.setdefault((one.address, one.rule), one)
    return [found[key] for key in sorted(found)]
