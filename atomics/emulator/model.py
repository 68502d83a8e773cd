# SPDX-License-Identifier: MIT
"""What the architecture leaves open, as options: each may be on or off on some CPU.

The defaults allow most: halves apart, failures at any time. Neither value of ``own_store``,
``granule`` and ``cas_miss`` includes the other. Interleavings are sequentially consistent; that
accesses to different places may be seen in another order is not in this model.
Source: Arm DDI 0487, B2.2.1 (single-copy atomicity), B2.12 (exclusives), CASP, CTR_EL0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace


class ModelError(ValueError):
    """An option or value that does not exist."""


@dataclass(frozen=True)
class Model:
    """Options of the machine. ``spurious`` None means without limit."""

    pairs: str = "split"
    monitor: str = "granule"
    granule: int = 64
    own_store: str = "clear"
    spurious: int | None = None
    cas_miss: str = "write"
    exceptions: str = "off"
    page: str = "writable"
    step: str = "access"

    def described(self) -> list[tuple[str, str, str]]:
        """(option, value, meaning) of each option."""
        rows = []
        for one in fields(self):
            value = getattr(self, one.name)
            meaning = _MEANING[one.name]
            text = meaning if isinstance(meaning, str) else meaning[value]
            shown = "unlimited" if value is None else str(value)
            rows.append((one.name, shown, text.format(value=shown)))
        return rows


_MEANING: dict[str, str | dict[object, str]] = {
    "pairs": {
        "split": "LDXP, LDP and STP of 16 bytes are two accesses, either half first",
        "atomic": "they are one access (LSE2)",
    },
    "monitor": {
        "granule": "any store of another CPU into the granule ends a reservation",
        "value": "a store-exclusive succeeds if memory holds the value that was loaded (emulators)",
    },
    "granule": "bytes that one reservation covers: {value}",
    "own_store": {
        "keep": "an own store into the granule keeps the reservation",
        "clear": "an own store into the granule ends the reservation",
    },
    "spurious": "store-exclusives that may fail without a reason: {value}",
    "cas_miss": {
        "read": "a compare-and-swap that misses only reads",
        "write": "it writes the old value back and ends other CPUs' reservations",
    },
    "exceptions": {
        "off": "no exception between load- and store-exclusive",
        "on": "an exception may end the own reservation at any point",
    },
    "page": {
        "writable": "the object may be written",
        "readonly": "every access that may write the object faults",
    },
    "step": {
        "access": "CPUs change at accesses to shared memory",
        "instruction": "CPUs change at every instruction",
    },
}

GRANULES = (16, 32, 64, 128, 256, 512, 1024, 2048)


def _value(name: str, text: str) -> object:
    if name == "spurious":
        if text == "unlimited":
            return None
        if text.isascii() and text.isdigit() and int(text) <= 100:
            return int(text)
        raise ModelError(f"model spurious={text}: 0 to 100, or unlimited")
    if name == "granule":
        if text in map(str, GRANULES):
            return int(text)
        raise ModelError(f"model granule={text}: one of {', '.join(map(str, GRANULES))}")
    meaning = _MEANING.get(name)
    if not isinstance(meaning, dict):
        raise ModelError(f"model {name}: no such option; one of {', '.join(_MEANING)}")
    if text not in meaning:
        raise ModelError(f"model {name}={text}: one of {', '.join(map(str, meaning))}")
    return text


def changed(model: Model, settings: Iterable[str]) -> Model:
    """The model with ``key=value`` settings applied. Raises ModelError."""
    for setting in settings:
        name, sign, text = setting.partition("=")
        if not sign:
            raise ModelError(f"model {setting}: write key=value; keys: {', '.join(_MEANING)}")
        model = replace(model, **{name: _value(name, text)})  # type: ignore[arg-type]
    if model.monitor == "value" and model.pairs == "split":
        raise ModelError("model monitor=value: needs pairs=atomic, as emulators never tear")
    return model
