# SPDX-License-Identifier: MIT
"""One virtual CPU between two accesses to shared memory.

What a CPU does alone is a function of its own state and of the answer to the access it asked for.
So local states are numbered, each with the access it waits for, and every step from one to the next
is computed once. The explorers know only these numbers, the accesses and the shared memory.
"""

from __future__ import annotations

import functools
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

from atomics.emulator.arm64 import Access, Instruction, Kind, Registers, decode
from atomics.emulator.arm64.alu import flags_read
from atomics.emulator.arm64.memory import is_literal
from atomics.emulator.arm64.registers import COUNT, DISCARD, MASK64, SP, VECTOR, ZERO, field
from atomics.emulator.arm64.unpredictable import problem_rule
from atomics.emulator.calls import Binding, Call
from atomics.emulator.fault import Fault, Undecided
from atomics.emulator.image import RETURN
from atomics.emulator.places import register
from atomics.emulator.private import LEFT, Key, PrivateMemory
from atomics.emulator.world import OBJECT, World

STEPS = 100_000  #: instructions without a shared access, before the machine gives up
FEW = 16  #: instructions in which nobody looks whether they loop for ever
BUDGET = 10_000_000  #: instructions between shared accesses in one search, a minute or two
_PRESERVED = [
    *((n, f"x{n}") for n in range(19, 30)),
    *((VECTOR + n, f"d{n}") for n in range(8, 16)),
]
ROOM = 10_000_000  #: registers and words of private memory in all local states, about 1 GB


@functools.lru_cache(maxsize=4)
def _flags_of(words: frozenset[int]) -> int:
    """Flags that some instruction reads; one image has hundreds of machines."""
    flags = 0
    for word in words:
        flags |= flags_read(word)
    return flags


class Decoder(Protocol):
    """arm64.decode, or a UnicornDecoder."""

    def __call__(self, word: int, address: int) -> Instruction: ...


class Choice(IntEnum):
    """Which of several ways a step may go."""

    WHOLE = 0  #: the only way
    LOW = 1  #: the low half of a split access first
    HIGH = 2
    STORED = 3  #: the store-exclusive stores
    FAILED = 4  #: it does not
    EXCEPTION = 5  #: no step of the CPU: its reservation ends


class Event(NamedTuple):
    """A call begins or returns; ``results`` is None for a beginning."""

    call: int
    results: tuple[tuple[str, Any], ...] | None


class Answer(NamedTuple):
    """Where a step leads: the next local state, what it stores (None: nothing), whether it drops
    the CPU's reservation, calls that begin before it and return after it, and what went wrong."""

    next: int
    store: int | None = None
    clears: bool = False
    events: tuple[Event, ...] = ()
    fault: Fault | None = None


class LocalState(NamedTuple):
    """``half``: (which, value) of a split access whose other half is due. ``fresh``: the current
    call has not yet reached shared memory. Past its last call a CPU has ``call`` = their number."""

    cpu: int
    call: int
    fresh: bool
    pc: int
    nzcv: int
    registers: tuple[int, ...]
    half: tuple[int, int] | None
    private: Key


class LocalMachine:
    """The local states of one world. ``decoder`` maps (word, address) to an instruction."""

    def __init__(self, world: World, decoder: Decoder = decode) -> None:
        self.world = world
        self.states: list[LocalState] = []
        self.pending: list[Access | None] = []  #: of each state; None: all calls are made
        self._numbers: dict[LocalState, int] = {}
        self._code: dict[int, Instruction] = {}
        self._decoder = decoder
        self._private = PrivateMemory(world.image, tuple(OBJECT + one.begin for one in world.lots))
        self._apart = [(OBJECT + one.apart, OBJECT + one.shared) for one in world.lots]
        self._left, self._room = BUDGET, ROOM
        # flags that no instruction reads are not part of the state
        self._flags = _flags_of(world.image.distinct_words())

    def begin(self, cpu: int) -> Answer:
        """The first local state of a CPU; events of calls that never reach shared memory."""
        return self._run(cpu, 0, None)

    def step(self, number: int, choice: Choice, value: int) -> Answer:
        """What a local state becomes when the access it waits for is answered by ``value``."""
        state, asked = self.states[number], self.pending[number]
        assert asked is not None
        c, private = self._unpacked(state)
        instruction = self._at(c.pc)
        events: tuple[Event, ...] = ()
        if state.fresh:
            events = (Event(state.call, None),)
        if asked.kind is Kind.STEP:
            return self._one_instruction(state, c, private, events)
        operation = instruction.memory
        assert operation is not None
        half = state.half
        store: int | None = None
        if choice in (Choice.LOW, Choice.HIGH):
            which = choice - Choice.LOW
            if asked.kind is Kind.WRITE:
                store = _part(asked.value, which, asked.part)
            else:
                operation.half(c, which, value)
            packed = self._packed(state.cpu, state.call, False, c, (which, value), private)
            return Answer(self._number(packed, asked), store, events=events)
        if half is not None and asked.kind is Kind.READ:
            value = (
                half[1] | value << 8 * asked.size
                if half[0] == 0
                else value | half[1] << 8 * asked.size
            )
        if asked.kind is Kind.UPDATE:
            store = operation.update(c, value)
        elif asked.kind is Kind.WRITE:
            store = asked.value
        elif asked.kind is Kind.STORE_EXCLUSIVE:
            value = int(choice is Choice.STORED)
            store = asked.value if value else None
        c.pc += 4
        operation.finish(c, value)
        after = self._run(state.cpu, state.call, (c, private))
        return after._replace(store=store, events=events + after.events)

    def _one_instruction(
        self, state: LocalState, c: Registers, private: PrivateMemory, events: tuple[Event, ...]
    ) -> Answer:
        """A local instruction as a step of its own."""
        clears = False
        try:
            binding = self.world.calls[state.cpu][state.call].binding
            clears = self._execute(self._at(c.pc), c, private, binding)
        except Fault as fault:
            return Answer(-1, clears=clears, events=events, fault=fault)
        after = self._run(state.cpu, state.call, (c, private))
        return after._replace(clears=after.clears or clears, events=events + after.events)

    # A CPU runs on until it asks for shared memory or has made all its calls.
    def _run(self, cpu: int, call: int, at: tuple[Registers, PrivateMemory] | None) -> Answer:
        calls = self.world.calls[cpu]
        events: tuple[Event, ...] = ()
        clears = False
        fresh = at is None
        c, private = at or (Registers(), self._private.fresh(cpu))
        if fresh and calls:
            private = self._private.fresh(cpu, calls[0].binding)
            self._enter(c, private, calls[0])
        try:
            while call < len(calls):
                asked, cleared = self._until_access(c, private, calls[call].binding)
                clears |= cleared
                if asked is not None:
                    number = self._number(self._packed(cpu, call, fresh, c, None, private), asked)
                    return Answer(number, clears=clears, events=events)
                results = self._results(c, private, calls[call])
                events += ((Event(call, None),) if fresh else ()) + (Event(call, results),)
                call += 1
                if call < len(calls):
                    before = calls[call - 1].binding
                    private = private.following(cpu, before, calls[call].binding)
                    self._enter(c, private, calls[call])
                    fresh = True
        except Fault as fault:
            return Answer(-1, clears=clears, events=events, fault=fault)
        ended = c if calls and calls[-1].binding.registers else Registers()
        state = self._packed(cpu, call, False, ended, None, self._private.fresh(cpu))
        return Answer(self._number(state, None), clears=clears, events=events)

    def _until_access(
        self, c: Registers, private: PrivateMemory, binding: Binding
    ) -> tuple[Access | None, bool]:
        """The next access to shared memory, or None when the call has returned; and whether the
        reservation was dropped on the way."""
        clears = False
        every = self.world.model.step == "instruction"
        saved: tuple[int, int, list[int], Key] = -1, 0, [], ((), ())
        for steps in range(STEPS):
            if c.pc == RETURN or (binding.returns == "end" and c.pc == self.world.image.end):
                return None, clears
            one = self._at(c.pc)
            asked = self._shared_access(one, c) if one.memory is not None else None
            if asked is not None:
                return asked, clears
            if every:
                return Access(Kind.STEP, 0, 0), clears
            # Does the state repeat? Brent's way: compare with one state, renewed at powers of two.
            if c.pc == saved[0] and (c.nzcv, c.r, private.key()) == saved[1:]:
                raise Fault(f"loops for ever at {self._place(c.pc)} without reaching the object")
            if steps & steps - 1 == 0 and steps >= FEW:
                saved = c.pc, c.nzcv, list(c.r), private.key()
            clears |= self._execute(one, c, private, binding)
        raise Undecided(
            f"{STEPS} instructions without an access to the object, last at {self._place(c.pc)}"
        )

    def _shared_access(self, one: Instruction, c: Registers) -> Access | None:
        """What the next instruction, which reaches memory, asks of the object, if it does."""
        assert one.memory is not None
        asked = one.memory.access(c)
        memory = self.world.memory
        if not OBJECT - asked.size < asked.address < OBJECT + len(memory):
            return None
        for begin, end in self._apart:  # the CPU's own, or astray, which is found there
            if begin < asked.address + asked.size and asked.address < end:
                return None
        if not OBJECT <= asked.address <= OBJECT + len(memory) - asked.size:
            where = f"{self._place(c.pc)} reaches past the object: {_span(asked)}"
            raise Fault(where, "stray-access", c.pc)
        if asked.size > 16:
            raise Undecided(f"{self._place(c.pc)}: an access of {asked.size} bytes to the object")
        part = asked.part or asked.size
        if asked.address % (asked.size if asked.aligned else part):
            raise Fault(
                f"{self._place(c.pc)} is misaligned: {_span(asked)}; "
                + ("an alignment fault" if asked.aligned else "not single-copy atomic"),
                "alignment",
                c.pc,
            )
        if self.world.model.pairs == "atomic" and asked.address % 16 + asked.size <= 16:
            asked = asked._replace(part=0)
        return asked._replace(part=0) if asked.part == asked.size else asked

    def _execute(
        self, one: Instruction, c: Registers, private: PrivateMemory, binding: Binding
    ) -> bool:
        """One instruction that no other CPU sees. True if it drops the reservation."""
        self._left -= 1
        if self._left < 0:
            raise Undecided(f"{BUDGET} instructions executed")
        c.pc += 4
        if one.run is not None:
            try:
                one.run(c)
            except Undecided as reason:
                raise Undecided(f"{self._place(one.address)}: {reason}") from None
            return one.clears_monitor
        assert one.memory is not None
        asked = one.memory.access(c)
        place = self._place(one.address)
        before = c.r[SP]
        if before % 16 and field(one.word, 9, 5) == 31 and not is_literal(one.word):
            text = f"{place} reaches memory through an SP of {before:#x}, no multiple of 16"
            raise Fault(text, "stack-alignment", one.address)
        value = private.load(asked, place, one.address)
        if asked.kind is Kind.STORE_EXCLUSIVE or asked.exclusive:
            raise Undecided(f"{place}: exclusive access to private memory ({_span(asked)})")
        if asked.kind is Kind.WRITE:
            private.store(asked, asked.value)
        elif asked.kind is Kind.UPDATE:
            new = one.memory.update(c, value)
            if new is not None:
                private.store(asked, new)
        one.memory.finish(c, value)
        if binding.preserves:
            private.own_stack(asked, min(before, c.r[SP]), place, one.address)
        return False

    def _at(self, address: int) -> Instruction:
        """The instruction at an address. Raises Fault or Undecided if it cannot be executed."""
        one = self._code.get(address)
        if one is not None:
            return one
        word = self.world.image.word(address)
        if word is None:
            name = self.world.image.outside.get(address)
            if name is not None:
                raise Undecided(f"calls {name}, which is not in {self.world.image.source}")
            raise Fault(f"jumps out of the sequence, to {address:#x}", "jumps-out")
        unresolved = self.world.image.unresolved.get(address, 4)
        if unresolved is not None:
            raise Undecided(f"{self._place(address)}: {unresolved}")
        one = self._decoder(word, address)
        if one.problem is not None:
            text = f"{self._place(address)}: {one.problem} ({word:08x})"
            raise Fault(text, problem_rule(one.problem), address)
        if one.traps is not None:
            raise Fault(f"{self._place(address)}: {one.traps} ({word:08x})", "traps", address)
        if one.leaves_user_code is not None:
            raise Undecided(f"{self._place(address)}: {one.leaves_user_code} ({word:08x})")
        if not one.known:
            raise Undecided(
                f"{self._place(address)}: {word:08x} is an instruction outside the model"
            )
        self._code[address] = one
        return one

    def _place(self, address: int) -> str:
        return self.world.image.symbol_at(address)

    def _enter(self, c: Registers, private: PrivateMemory, call: Call) -> None:
        """The registers and private memory that a call starts with."""
        binding = call.binding
        given = Registers()
        for n in (*range(31), *range(VECTOR, COUNT)):
            given.r[n] = 0 if binding.zeroed else _left_by_caller(n, private)
        given.r[SP] = private.stack
        given.r[30] = RETURN
        for number, block in binding.blocks:
            given.r[number] = private.block(number, block)
        given.r[register(binding.object)] = OBJECT
        for name, place in binding.arguments:
            value = call.given[name]
            halves = value if isinstance(value, tuple) else (value,)
            if place.pointer:
                whole = sum(half << 64 * i for i, half in enumerate(halves))
                given.r[place.registers[0]] = private.input(place, whole)
            else:
                for number, half in zip(place.registers, halves, strict=True):
                    given.r[number] = half
        for _, place in binding.results:
            if place.pointer:
                given.r[place.registers[0]] = private.output(place)
        c.r[:], c.nzcv, c.pc = given.r, 0, call.entry

    def _results(
        self, c: Registers, private: PrivateMemory, call: Call
    ) -> tuple[tuple[str, Any], ...]:
        binding = call.binding
        if binding.preserves:
            self._preserved(c, private, call)
        changed = private.changed_input()
        if changed is not None:
            raise Fault(f"{call.name} changed its input in memory: {changed}", "input-changed")
        found: list[tuple[str, Any]] = []
        if binding.registers:
            found.append(("registers", tuple(c.r[:31])))
        for name, place in binding.results:
            if place.pointer:
                raw = private.result(place)
                value: Any = (raw & (1 << 64) - 1, raw >> 64) if place.bits == 128 else raw
            else:
                mask = (1 << place.bits) - 1
                halves = tuple(c.r[number] & mask for number in place.registers)
                value = halves if len(halves) == 2 else halves[0]
            if name == "ok":
                if place.bits == 8 and value > 1:
                    text = f"{call.name} returns {value:#x} as a C bool, which is 0 or 1"
                    raise Fault(text, "c-bool")
                value = (value != 0) is (binding.success == "nonzero")
            found.append((name, value))
        return tuple(found)

    def _preserved(self, c: Registers, private: PrivateMemory, call: Call) -> None:
        """AAPCS64, 6.1.1 and 6.1.2: x19 to x29, SP and the low halves of v8 to v15."""
        for n, name in _PRESERVED:
            entered = 0 if call.binding.zeroed else _left_by_caller(n, private)
            if (c.r[n] ^ entered) & MASK64:
                text = f"{call.name} returns with {name} changed, which AAPCS64 preserves"
                raise Fault(text, "callee-saved")
        if c.r[SP] != private.stack:
            moved = c.r[SP] - private.stack
            raise Fault(f"{call.name} returns with SP moved by {moved}", "stack-moved")

    def _packed(
        self,
        cpu: int,
        call: int,
        fresh: bool,
        c: Registers,
        half: tuple[int, int] | None,
        private: PrivateMemory,
    ) -> LocalState:
        c.r[DISCARD] = c.r[ZERO] = 0
        return LocalState(
            cpu, call, fresh, c.pc, c.nzcv & self._flags, tuple(c.r), half, private.key()
        )

    def _unpacked(self, state: LocalState) -> tuple[Registers, PrivateMemory]:
        c = Registers(list(state.registers), state.nzcv, state.pc)
        assert len(c.r) == COUNT
        binding = self.world.calls[state.cpu][state.call].binding
        return c, self._private.restored(state.cpu, state.private, binding)

    def _number(self, state: LocalState, asked: Access | None) -> int:
        number = self._numbers.get(state)
        if number is None:
            self._room -= COUNT + len(state.private[0])
            if self._room < 0:
                raise Undecided(
                    f"bounded at {len(self.states)} states of single CPUs; "
                    "does a register or the stack grow without end? What counts retries "
                    "is bounded by --model spurious=3"
                )
            number = self._numbers[state] = len(self.states)
            self.states.append(state)
            if state.half is not None and asked is not None:
                asked = _other_half(asked, state.half[0])
            self.pending.append(asked)
        return number


def _left_by_caller(n: int, private: PrivateMemory) -> int:
    """What a register holds that no argument is in: something, nowhere a valid address, or nothing,
    and the other way round on the next CPU."""
    return 0 if (n ^ private.parity) & 1 else LEFT | n << 8


def _part(value: int, which: int, size: int) -> int:
    return value >> 8 * size * which & ((1 << 8 * size) - 1)


def _other_half(asked: Access, which: int) -> Access:
    """The access that is left when part ``which`` of a split one is done."""
    other = 1 - which
    return asked._replace(
        address=asked.address + other * asked.part,
        size=asked.part,
        part=0,
        value=_part(asked.value, other, asked.part),
        exclusive=False,
    )


def _span(asked: Access) -> str:
    return f"{asked.size} bytes at {asked.address:#x}"
