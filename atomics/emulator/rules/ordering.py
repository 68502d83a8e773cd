# SPDX-License-Identifier: MIT
"""Rules about order: does an operation acquire and release as claimed, on a hit and on a miss?

Interleavings are sequentially consistent and cannot show it. So each path is held against patterns
that the architecture orders; what orders by another way (a dependency) is not seen. The operation
takes effect at its last store to the object or, where it leaves the object as it is, its last
load. Source: Arm DDI 0487, B2.3; for the patterns, the AArch64 atomics ABI (ARM-software/abi-aa)
and herd's verdicts on sequences of pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from atomics.emulator.arm64 import Kind
from atomics.emulator.arm64.order import Barrier, Ordering, Strength, barrier, ordering
from atomics.emulator.paths import Executed, Path
from atomics.emulator.rules.finding import ERROR, Finding, Subject

_ACQUIRE = ("acquire", "acq_rel", "seq_cst", "full")
_RELEASE = ("release", "acq_rel", "seq_cst", "full")


_HALVES = {Barrier.LOADS, Barrier.STORES}  #: together: earlier loads and stores before later stores


class _Effect(NamedTuple):
    """Where a path takes effect: indices of its last read and, where it changed or could change
    the object, its store; they are one for a read-modify-write."""

    read: int | None
    store: int | None


def _effect(path: Path, size: int) -> _Effect:
    """Only accesses of the operation's own size count: halves that seed a loop do not. A
    store-exclusive takes its load-exclusive along."""
    read = store = exclusive = None
    for at, one in enumerate(path.steps):
        memory = one.access
        if memory is None or memory.size < size:
            continue
        if memory.exclusive:
            exclusive = at
        if memory.kind is Kind.READ and store is None:
            read = at
        if memory.kind is Kind.UPDATE:
            read, store = at, at if one.stored else None
        elif memory.kind is Kind.STORE_EXCLUSIVE and one.stored:
            read, store = exclusive, at
        elif memory.kind is Kind.WRITE:
            store = at
    return _Effect(read, store)


def _order_at(path: Path, at: int) -> Ordering:
    return ordering(path.steps[at].word)


def _barriers(steps: tuple[Executed, ...]) -> set[Barrier]:
    return {barrier(one.word) for one in steps}


def _acquires(path: Path, at: int) -> bool:
    after = _barriers(path.steps[at + 1 :])
    return bool(_order_at(path, at).acquire or after & {Barrier.LOADS, Barrier.FULL})


def _releases(path: Path, at: int) -> bool:
    before = _barriers(path.steps[:at])
    return bool(_order_at(path, at).release or Barrier.FULL in before or before >= _HALVES)


def _reads_object(path: Path, at: int) -> bool:
    memory = path.steps[at].access
    return memory is not None and memory.kind in (Kind.READ, Kind.UPDATE)


def _sequential_load(path: Path, at: int) -> bool:
    """RCsc itself, or behind an RCsc load of the object or a full barrier."""
    before = range(at + 1)
    return Barrier.FULL in _barriers(path.steps[:at]) or any(
        _order_at(path, n).acquire is Strength.SC for n in before if _reads_object(path, n)
    )


def _sequential_store(path: Path, at: int) -> bool:
    """RCsc itself, or before a full barrier."""
    return _order_at(path, at).release is Strength.SC or Barrier.FULL in _barriers(
        path.steps[at + 1 :]
    )


def _full(path: Path, at: int) -> bool:
    """Its neighbours stay on their sides: CASPAL and its like where they write, or a DMB ISH behind
    it. LDAXP and STLXP are not enough: an earlier store and a later load may pass each other."""
    memory, order = path.steps[at].access, _order_at(path, at)
    one = memory is not None and memory.kind is Kind.UPDATE and bool(order.acquire)
    return (one and bool(order.release)) or Barrier.FULL in _barriers(path.steps[at + 1 :])


def order(subject: Subject) -> Iterator[Finding]:
    """Every path of an operation that claims an order."""
    if subject.order in (None, "relaxed"):
        return
    for path in subject.paths:
        if path.results is None:
            continue
        effect = _effect(path, subject.size)
        hit = path.results.get("ok", True)
        miss = "" if hit else " on a miss"
        if subject.order in _ACQUIRE and not subject.stores and effect.read is not None:
            yield from _acquire(subject, path, effect.read, miss)
        if subject.order in _RELEASE and hit and effect.store is not None and not subject.loads:
            yield from _release(subject, path, effect.store)


def _acquire(subject: Subject, path: Path, at: int, miss: str) -> Iterator[Finding]:
    address = path.steps[at].address
    if not _acquires(path, at):
        yield subject.finding(
            "acquire-missing", ERROR, address,
            f"claims {subject.order} and does not acquire{miss}: no A, and no DMB ISHLD or ISH "
            "behind it",
        )  # fmt: skip
    elif subject.loads and subject.order in ("seq_cst", "full") and not _sequential_load(path, at):
        yield subject.finding(
            "seq-cst-missing", ERROR, address,
            "a seq_cst load may pass an earlier release: an LDAR of the object or a DMB ISH is "
            "missing before it",
        )  # fmt: skip


def _release(subject: Subject, path: Path, at: int) -> Iterator[Finding]:
    address = path.steps[at].address
    if not _releases(path, at):
        stores = Barrier.STORES in _barriers(path.steps[:at])
        yield subject.finding(
            "release-missing", ERROR, address,
            f"claims {subject.order} and does not release: no L, and "
            + ("DMB ISHST does not keep earlier loads before it" if stores
               else "no DMB ISH before it"),
        )  # fmt: skip
    elif subject.stores and subject.order == "seq_cst" and not _sequential_store(path, at):
        yield subject.finding(
            "seq-cst-missing", ERROR, address,
            "a later seq_cst load may pass this store: a DMB ISH is missing behind it",
        )  # fmt: skip
    elif subject.order == "full" and not _full(path, at):
        yield subject.finding(
            "barrier-missing", ERROR, address,
            "no full barrier: an earlier store and a later load may pass each other; CASPAL, or "
            "a DMB ISH behind it",
        )  # fmt: skip
