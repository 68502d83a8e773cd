# SPDX-License-Identifier: MIT
"""Rules about single words: what is undefined, unpredictable, or silently taken away."""

from __future__ import annotations

from collections.abc import Iterator

from atomics.emulator.arm64 import decode
from atomics.emulator.arm64.order import ordering
from atomics.emulator.arm64.unpredictable import problem_rule
from atomics.emulator.rules.finding import ERROR, WARNING, Finding, Subject
from atomics.emulator.rules.flow import reached


def _words(subject: Subject) -> Iterator[tuple[int, int]]:
    executed = {one.address for path in subject.paths for one in path.steps}
    for address in reached(subject.image, executed):
        yield address, subject.image.word(address) or 0


def undefined(subject: Subject) -> Iterator[Finding]:
    """UNDEFINED encodings, such as CASP of an odd register, and CONSTRAINED UNPREDICTABLE ones,
    such as a status register that is a data register. Assemblers and emulators let many through."""
    for address, word in _words(subject):
        problem = decode(word, address).problem
        if problem is not None:
            yield subject.finding(problem_rule(problem), ERROR, address, problem)


def acquire_discarded(subject: Subject) -> Iterator[Finding]:
    """An LSE atomic whose destination is the zero register does not acquire, whatever its A says,
    and a later DMB ISHLD does not order it."""
    for address, word in _words(subject):
        if ordering(word).discarded:
            yield subject.finding(
                "acquire-discarded",
                WARNING,
                address,
                "its destination is the zero register, so it does not acquire",
            )
