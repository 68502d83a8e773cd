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

METHOD_BYTES = 256  #: of the object: no less than any method's state

#: reservation methods that are checked: what they promise
METHODS = {
    "cas128": "reserve",
    "cas128_backoff": "reserve",
    "cas64_packed": "reserve",
    "cas64_seeded": "reserve",
    "faa_bound": "reserve_unlinked",
}

#: what LSE2 guarantees holds for backends that need it
_ATOMIC_PAIRS = re.compile(r"_(lse2|lse128)(_rcpc3)?$")


@dataclass(frozen=True)
class Kernel:
    """One row: a function of the C library, and how it is judged."""

    name: str
    specification: Specification
    model: tuple[str, ...]  #: settings that its backend guarantees
    method: tuple[str, str] | None = None  #: of a reservation: (method, backend)
    order: str | None = None  #: that it claims; a reservation's is its caller's affair

    @property
    def backend(self) -> str:
        """The instruction family, as in backends.def."""
        match = re.search(r"_(llsc|lse\w*)$", self.name)
        assert match is not None
        return match[1]

    @property
    def image(self) -> Image:
        return from_words(words(self.name), f"kernel:{self.name}", self.name)

    @property
    def object_bytes(self) -> int:
        return METHOD_BYTES if self.method else 16

    @property
    def initial(self) -> Callable[[Pair], bytes] | None:
        """Makes the method's state from (tip, prev), by its own start function."""
        if self.method is None:
            return None
        image = self._part("start")
        return lambda pair: _started(image, pair)

    @property
    def read(self) -> Callable[[bytes], Pair] | None:
        """Reads (tip, prev) back, by its own finish function."""
        if self.method is None:
            return None
        image = self._part("finish")
        return lambda memory: _finished(image, memory)

    def _part(self, part: str) -> Image:
        assert self.method is not None
        name = f"dwcas_{part}_{'_'.join(self.method)}"
        return from_words(words(name), f"kernel:{name}", name)


@functools.cache
def table() -> dict[str, Any]:
    """compiler, flags, source_sha256, functions: name -> words in hexadecimal."""
    text = (resources.files("atomics.emulator") / "kernels.json").read_text(encoding="utf-8")
    read: dict[str, Any] = json.loads(text)
    return read


def words(name: str) -> list[int]:
    """The words of one function. Raises ImageError if there is none of that name."""
    found = table()["functions"].get(name)
    if found is None:
        raise ImageError(f"kernel:{name}: no such kernel; `atomics check --list` has all")
    return [int(word, 16) for word in found.split()]


def _row(name: str) -> Kernel | None:
    settings = ("pairs=atomic",) if _ATOMIC_PAIRS.search(name) else ()
    for method, promise in METHODS.items():
        match = re.fullmatch(rf"dwcas_reserve_{method}_(llsc|lse\w*)", name)
        if match:
            return Kernel(name, SPECIFICATIONS[promise], settings, (method, match[1]))
    for operation, orders in OPERATIONS.items():
        match = re.fullmatch(rf"dwcas_pair_{operation}_({'|'.join(orders)})_(llsc|lse\w*)", name)
        if match:
            return Kernel(name, SPECIFICATIONS[operation], settings, order=match[1])
    return None


@functools.cache
def kernels() -> dict[str, Kernel]:
    """Everything in the table that is an operation, by name."""
    rows = ((name, _row(name)) for name in table()["functions"])
    return {name: row for name, row in rows if row is not None}


def distinct() -> list[Kernel]:
    """Kernels that differ in words, operation, order or model; the rest would be checked twice."""
    seen: dict[object, Kernel] = {}
    for name, kernel in kernels().items():
        key = table()["functions"][name], kernel.specification.name, kernel.order, kernel.model
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


def _started(image: Image, pair: Pair) -> bytes:
    binding = Binding(arguments=(("tip", parse("x1")), ("prev", parse("x2"))))
    return _alone(image, binding, bytes(METHOD_BYTES), tip=pair[0], prev=pair[1])[0]


def _finished(image: Image, memory: bytes) -> Pair:
    binding = Binding(results=(("tip", parse("[x1].8")), ("prev", parse("[x2].8"))))
    results = _alone(image, binding, memory)[1]
    return results["tip"], results["prev"]
