# SPDX-License-Identifier: MIT
"""The native explorer (csrc/explore) behind the interface of explore.py."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from atomics._native import ffi, lib
from atomics.emulator.arm64 import Kind
from atomics.emulator.explore import STUCK, Found, Path, Progress
from atomics.emulator.fault import Undecided
from atomics.emulator.local import Choice, Event
from atomics.emulator.properties import Violation
from atomics.emulator.semantics import Semantics
from atomics.emulator.world import OBJECT

MASK64 = (1 << 64) - 1
DONE = 5  #: DWCAS_DONE
PAUSE_STATES = 50_000
CPUS = 8


class _Search:
    """One search: answers what the C core asks, with numbers for everything that is not one."""

    def __init__(self, semantics: Semantics, limit: int) -> None:
        self.semantics, self.local = semantics, semantics.local
        self.sent = 0
        self.watched: list[tuple[Hashable, ...]] = []
        self.watched_numbers: dict[tuple[Hashable, ...], int] = {}
        self.events: list[tuple[int, tuple[Event, ...]]] = [(0, ())]
        self.event_numbers: dict[tuple[int, tuple[Event, ...]], int] = {}
        model, world = semantics.model, semantics.world
        options = ffi.new("dwcas_explore_options *")
        options.granule = model.granule if model.monitor == "granule" else 0
        options.spurious = -1 if model.spurious is None else model.spurious
        options.own_store_clears = model.own_store == "clear"
        options.cas_miss_writes = model.cas_miss == "write"
        options.exceptions = model.exceptions == "on"
        options.readonly = model.page == "readonly"
        options.limit = limit
        made = lib.dwcas_explore_new(options, len(world.calls), world.memory, len(world.memory))
        if made == ffi.NULL:
            raise MemoryError
        self.core = ffi.gc(made, lib.dwcas_explore_free)

    def send_locals(self) -> None:
        """Tell the core of local states that are new."""
        while self.sent < len(self.local.pending):
            asked = self.local.pending[self.sent]
            access = ffi.new("dwcas_access *")
            if asked is None:
                access.kind = DONE
            else:
                access.offset = max(asked.address - OBJECT, 0)
                access.size, access.kind, access.part = asked.size, asked.kind, asked.part
                access.exclusive = asked.exclusive
            _must(lib.dwcas_explore_local(self.core, access))
            self.sent += 1

    def watched_number(self, watched: tuple[Hashable, ...]) -> int:
        number = self.watched_numbers.get(watched)
        if number is None:
            number = self.watched_numbers[watched] = len(self.watched)
            self.watched.append(watched)
        return number

    def event_number(self, cpu: int, events: tuple[Event, ...]) -> int:
        if not events or not self.semantics.world.properties:
            return 0
        number = self.event_numbers.get((cpu, events))
        if number is None:
            number = self.event_numbers[cpu, events] = len(self.events)
            self.events.append((cpu, events))
        return number

    def answer(self, question: Any) -> None:
        value = question.value[0] | question.value[1] << 64
        choice = Choice(question.choice)
        answer = self.semantics.answer(question.local, choice, value)
        self.send_locals()
        store = ffi.NULL
        asked = self.local.pending[question.local]
        if answer.store is not None and asked is not None and asked.kind is not Kind.STEP:
            store = ffi.new("uint64_t[2]", [answer.store & MASK64, answer.store >> 64])
        events = self.event_number(self.local.states[question.local].cpu, answer.events)
        wrong = answer.fault is not None
        next_ = 0 if wrong else answer.next
        _must(lib.dwcas_explore_answer(self.core, next_, store, answer.clears, events, wrong))

    def watch(self, question: Any) -> None:
        cpu, events = self.events[question.events]
        try:
            after = self.semantics.watch(self.watched[question.watched], cpu, events)
        except Violation:
            _must(lib.dwcas_explore_watch(self.core, 0, True))
        else:
            _must(lib.dwcas_explore_watch(self.core, self.watched_number(after), False))

    def final(self, question: Any) -> None:
        memory = bytes(
            ffi.buffer(
                lib.dwcas_explore_memory(self.core, question.memory),
                len(self.semantics.world.memory),
            )
        )
        wrong = self.semantics.judged(self.watched[question.watched], memory)
        _must(lib.dwcas_explore_final(self.core, wrong is not None))

    def path(self) -> Path:
        count = lib.dwcas_explore_path(self.core, ffi.NULL)
        steps = ffi.new("uint8_t[]", max(count, 1))
        lib.dwcas_explore_path(self.core, steps)
        return [(steps[at] >> 3, Choice(steps[at] & 7)) for at in range(count)]


def _must(done: bool) -> None:
    if not done:
        raise MemoryError


def explore(semantics: Semantics, limit: int, progress: Progress = lambda states: None) -> Found:
    """As explore.explore, in C. Raises MemoryError; at most 8 CPUs."""
    try:
        begin = semantics.initial()
    except Undecided as reason:
        return Found(0, 0, False, undecided=str(reason))
    if begin.state is None:
        return Found(0, 0, True, begin.wrong, [])
    search = _Search(semantics, limit)
    search.send_locals()
    core = search.core
    watched = search.watched_number(begin.state.watched)
    _must(lib.dwcas_explore_start(core, list(begin.state.locals), watched))
    question = ffi.new("dwcas_explore_question *")
    asks = {
        lib.DWCAS_EXPLORE_ANSWER: search.answer,
        lib.DWCAS_EXPLORE_WATCH: search.watch,
        lib.DWCAS_EXPLORE_FINAL: search.final,
    }
    undecided: str | None = None
    while undecided is None:
        status = lib.dwcas_explore_run(core, PAUSE_STATES, question)
        if status in asks:
            try:
                asks[status](question)
            except Undecided as reason:
                undecided = str(reason)
        elif status == lib.DWCAS_EXPLORE_PAUSE:
            progress(lib.dwcas_explore_states(core))
        else:
            break
    if status == lib.DWCAS_EXPLORE_NO_MEMORY:
        raise MemoryError
    found = Found(
        lib.dwcas_explore_states(core),
        lib.dwcas_explore_transitions(core),
        undecided is None and status != lib.DWCAS_EXPLORE_BOUNDED,
        undecided=undecided,
    )
    if status in (lib.DWCAS_EXPLORE_WRONG, lib.DWCAS_EXPLORE_STUCK):
        found.path = search.path()
        found.stuck = status == lib.DWCAS_EXPLORE_STUCK
        found.wrong = STUCK if found.stuck else semantics.told(found.path)
    return found
