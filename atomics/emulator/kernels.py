# SPDX-License-Identifier: MIT
"""The committed arm64 words of our own kernels and reservation methods, so that they are checked
without a toolchain.

kernels.json is made by ``python -P -m atomics.emulator.rebuild csrc``, which also compares; a test
does so wherever the compiler it names is installed, and compares the hash of the sources always.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any

from atomics.emulator.calls import Binding, Call
from atomics.emulator.image import Image, ImageError, from_words
from atomics.emulator.local import LocalMachine
from atomics.emulator.places import parse
from atomics.emulator.semantics import Semantics
from atomics.emulator.specification import SPECIFICATIONS, Pair, Specification
from atomics.emulator.world import World
from atomics.orders import OPERATIONS

#: what LSE2 guarantees holds for backends that need it
_ATOMIC_PAIRS = re.compile(r"_(lse2|lse128)(_rcpc3)?$")


@dataclass(frozen=True)
class Kernel:
    """One row: a function of the C library, and how it is judged."""

    name: str
    specification: Specification
    model: tuple[str, ...]  #: settings that its backend guarantees
    method: tuple[str, str] | None = None  #: of a reservation: (method, backend)
    object_bytes: int = 16
    checked: bool = False  #: words that are made for the checker (csrc/locks/checked.h)
    order: str | None = None  #: that it claims; a reservation's is its caller's affair

    @property
    def backend(self) -> str:
        """The instruction family, as in backends.def."""
        match = re.search(r"_(llsc|lse\w*)$", self.name)
        assert match is not None
        return match[1]

    @property
    def image(self) -> Image:
        how = ", compiled for the checker" if self.checked else ""
        return from_words(words(self.name), f"kernel:{self.name}{how}", self.name)

    @property
    def initial(self) -> Callable[[Pair], bytes] | None:
        """Makes the method's state from (tip, prev), by its own start function."""
        if self.method is None:
            return None
        image, blank = self._part("start"), bytes(self.object_bytes)
        return lambda pair: _started(image, blank, pair)

    @property
    def read(self) -> Callable[[bytes], Pair] | None:
        """Reads (tip, prev) back, by its own finish function."""
        if self.method is None:
            return None
        image, size = self._part("finish"), self.object_bytes
        return functools.cache(lambda memory: _finished(image, memory[:size]))

    def _part(self, part: str) -> Image:
        assert self.method is not None
        name = f"dwcas_{part}_{'_'.join(self.method)}"
        return from_words(words(name), f"kernel:{name}", name)


@functools.cache
def table() -> dict[str, Any]:
    """compiler, flags, source_sha256, methods: name -> links, state_bytes, checked; refused: name
    -> reason, functions: name -> words in hexadecimal."""
    text = (resources.files("atomics.emulator") / "kernels.json").read_text(encoding="utf-8")
    read: dict[str, Any] = json.loads(text)
    return read


def words(name: str) -> list[int]:
    """The words of one function of the table."""
    return [int(word, 16) for word in table()["functions"][name].split()]


def find(name: str) -> Kernel:
    """The kernel of that name. Raises ImageError if there is none, or if it is refused."""
    found = kernels().get(name)
    if found is not None:
        return found
    for method, reason in refused().items():
        if re.fullmatch(rf"dwcas_reserve_{method}(_(llsc|lse\w*))?", name):
            raise ImageError(f"kernel:{name}: not checked, as it {reason}")
    raise ImageError(f"kernel:{name}: no such kernel; `atomics check --list` has all")


def refused() -> dict[str, str]:
    """Methods that cannot be checked, and why: a clause whose subject is the method."""
    found: dict[str, str] = table()["refused"]
    return found


def row_of(name: str) -> Kernel | None:
    """How a function of the table is judged; None if it is no operation."""
    settings = ("pairs=atomic",) if _ATOMIC_PAIRS.search(name) else ()
    for method, row in table()["methods"].items():
        match = re.fullmatch(rf"dwcas_reserve_{method}_(llsc|lse\w*)", name)
        if match:
            promise = SPECIFICATIONS["reserve" if row["links"] else "reserve_unlinked"]
            size, checked = row["state_bytes"], row["checked"]
            return Kernel(name, promise, settings, (method, match[1]), size, checked)
    for operation, orders in OPERATIONS.items():
        match = re.fullmatch(rf"dwcas_pair_{operation}_({'|'.join(orders)})_(llsc|lse\w*)", name)
        if match:
            return Kernel(name, SPECIFICATIONS[operation], settings, order=match[1])
    return None


@functools.cache
def kernels() -> dict[str, Kernel]:
    """Everything in the table that is an operation, by name."""
    rows = ((name, row_of(name)) for name in table()["functions"])
    return {name: row for name, row in rows if row is not None}


def distinct() -> list[Kernel]:
    """Kernels that differ in words, operation or order; the rest would be checked twice. What is
    right on the machine that guarantees less is right on the others."""
    seen: dict[object, Kernel] = {}
    for name, kernel in sorted(kernels().items(), key=lambda row: len(row[1].model)):
        key = table()["functions"][name], kernel.specification.name, kernel.order
        seen.setdefault(key, kernel)
    return list(seen.values())


def _alone(image: Image, binding: Binding, memory: bytes, **arguments: int) -> tuple[bytes, Any]:
    """One call of one CPU: the object afterwards, and the results."""
    call = Call(
        Specification(image.source, (), (), lambda pair, given: ()),
        binding,
        image.entry,
        tuple(arguments.items()),
    )
    world = World(image, [[call]], memory)
    semantics = Semantics(world, LocalMachine(world))
    state, results = semantics.initial().state, None
    while state is not None and not semantics.finished(state):
        step = next(iter(semantics.steps(state)))
        for event in semantics.answer_at(state, 0, step.choice).events:
            results = event.results
        state = step.state
    assert state is not None, f"{image.source} goes wrong alone"
    return state.memory, dict(results or ())


def _started(image: Image, blank: bytes, pair: Pair) -> bytes:
    binding = Binding(arguments=(("tip", parse("x1")), ("prev", parse("x2"))))
    return _alone(image, binding, blank, tip=pair[0], prev=pair[1])[0]


def _finished(image: Image, memory: bytes) -> Pair:
    binding = Binding(results=(("tip", parse("[x1].8")), ("prev", parse("[x2].8"))))
    results = _alone(image, binding, memory)[1]
    return results["tip"], results["prev"]
