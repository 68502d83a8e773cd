# SPDX-License-Identifier: MIT
"""Rules about what stands between a load-exclusive and its store-exclusive, and after it.

Source: Arm DDI 0487, B2.12.5 (load-exclusive and store-exclusive usage restrictions): forward
progress is only promised where nothing between the two reaches memory, branches back, or is far
away. What the rules find works in the model; on some CPU it may never store.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from atomics.emulator.arm64 import Kind, decode
from atomics.emulator.arm64.effects import effects
from atomics.emulator.paths import Executed
from atomics.emulator.rules.finding import ERROR, WARNING, Finding, Subject

FAR = 128  #: bytes of code from one to the other, at most


def _spans(subject: Subject) -> Iterator[tuple[Executed, list[Executed], Executed]]:
    """(load-exclusive, what is executed between, store-exclusive)."""
    for path in subject.paths:
        begin: Executed | None = None
        between: list[Executed] = []
        for one in path.steps:
            memory = one.access
            if memory is not None and memory.exclusive:
                begin, between = one, []
            elif memory is not None and memory.kind is Kind.STORE_EXCLUSIVE:
                if begin is not None:
                    yield begin, between, one
                begin = None
            elif begin is not None:
                between.append(one)


def _is_call(word: int) -> bool:
    return word >> 26 == 0x25 or word & 0xFFFFFC1F == 0xD63F0000  # BL, BLR


def between(subject: Subject) -> Iterator[Finding]:
    """Between the two: accesses to memory, calls, a branch back, too many bytes."""
    for begin, inside, end in _spans(subject):
        for one in inside:
            if _is_call(one.word):
                yield subject.finding(
                    "call-between", WARNING, one.address,
                    "a call between load- and store-exclusive: some CPU may never store",
                )  # fmt: skip
            elif one.access is not None or decode(one.word, one.address).memory is not None:
                yield subject.finding(
                    "access-between", WARNING, one.address,
                    "reaches memory between load- and store-exclusive: some CPU may never store",
                )  # fmt: skip
        addresses = [begin.address, *(one.address for one in inside), end.address]
        back = next((a for a, b in pairwise(addresses) if b <= a), None)
        if back is not None and not any(_is_call(one.word) for one in inside):
            yield subject.finding(
                "loop-between", WARNING, back,
                "branches back between load- and store-exclusive: some CPU may never store",
            )  # fmt: skip
        elif end.address - begin.address > FAR:
            yield subject.finding(
                "far-apart", WARNING, end.address,
                f"{end.address - begin.address} bytes behind its load-exclusive; {FAR} at most "
                "are sure to make progress",
            )  # fmt: skip


def mismatched(subject: Subject) -> Iterator[Finding]:
    """A store-exclusive of another address, size or number of registers than its load-exclusive is
    CONSTRAINED UNPREDICTABLE; one without a load-exclusive never stores."""
    for path in subject.paths:
        begin: Executed | None = None
        for one in path.steps:
            memory = one.access
            if memory is None:
                if decode(one.word, one.address).clears_monitor:
                    begin = None
                continue
            if memory.exclusive:
                begin = one
            elif memory.kind is Kind.STORE_EXCLUSIVE:
                if begin is None:
                    yield subject.finding(
                        "unpaired", ERROR, one.address,
                        "a store-exclusive that no load-exclusive comes before: it never stores",
                    )  # fmt: skip
                elif begin.access is not None and (
                    (begin.access.address, begin.access.size) != (memory.address, memory.size)
                    or _registers(begin.word) != _registers(one.word)
                ):
                    yield subject.finding(
                        "mismatched", ERROR, one.address,
                        "another address, size or number of registers than its load-exclusive at "
                        f"{subject.image.symbol_at(begin.address)}: CONSTRAINED UNPREDICTABLE",
                    )  # fmt: skip
                begin = None


def _registers(word: int) -> int:
    """1 for LDXR and STXR, 2 for LDXP and STXP."""
    return 1 + (word >> 21 & 1)


def status_ignored(subject: Subject) -> Iterator[Finding]:
    """The status of a store-exclusive is the only sign that it stored: somebody must look."""
    used: dict[int, bool] = {}
    results = {n for _, place in subject.binding.results for n in place.registers}
    for path in subject.paths:
        for at, one in enumerate(path.steps):
            if one.access is None or one.access.kind is not Kind.STORE_EXCLUSIVE:
                continue
            status = one.word >> 16 & 31
            looked = False
            for later in path.steps[at + 1 :]:
                reads, writes = effects(later.word)
                if status in reads:
                    looked = True
                    break
                if status in writes:
                    break
            else:
                looked = status in results and path.results is not None
            used[one.address] = used.get(one.address, False) or looked
    for address, looked in used.items():
        if not looked:
            yield subject.finding(
                "status-ignored", WARNING, address,
                "nobody looks whether it stored: an update that failed is lost",
            )  # fmt: skip
