# SPDX-License-Identifier: MIT
"""A value of a JSON file that somebody may have cut or edited, and where in the file it stands.

Whatever is not as asked for is a UsageError that names the file, the key and what is needed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from wal_bench.errors import UsageError

_MOST_SHOWN = 40  #: characters of a wrong value in a message
_MOST = 1e18  #: of a number that is asked for; far above all that is measured

#: What no XML can hold: control characters and halves of surrogate pairs.
_UNSHOWABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _not_json(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is larger than any number")
    return value


@dataclass(frozen=True)
class Node:
    """One value."""

    file: str
    at: str  #: ``results/3/jain``; empty for the whole document
    value: object

    def wrong(self, needed: str) -> NoReturn:
        """Refuse the value."""
        shown = json.dumps(self.value)
        if len(shown) > _MOST_SHOWN:
            shown = shown[: _MOST_SHOWN - 3] + "..."
        raise UsageError(f"{self.file}: {self.at or 'the document'}: {shown} is not {needed}")

    def _below(self, key: str | int, value: object) -> Node:
        return Node(self.file, f"{self.at}/{key}" if self.at else str(key), value)

    def object(self) -> dict[str, object]:
        """As a dictionary."""
        return self.value if isinstance(self.value, dict) else self.wrong("an object")

    def has(self, key: str) -> bool:
        """Whether an object has that key, be it null."""
        return key in self.object()

    def get(self, key: str) -> Node:
        """The value of a key, which must be there."""
        if not self.has(key):
            raise UsageError(f"{self.file}: {self.at and f'{self.at}: '}the key {key!r} is missing")
        return self._below(key, self.object()[key])

    def items(self) -> list[Node]:
        """Every entry of a list."""
        if not isinstance(self.value, list):
            self.wrong("a list")
        return [self._below(index, value) for index, value in enumerate(self.value)]

    def text(self) -> str:
        """A string."""
        return self.value if isinstance(self.value, str) else self.wrong("a text")

    def optional_text(self) -> str | None:
        """A string or null."""
        return None if self.value is None else self.text()

    def truth(self) -> bool:
        """true or false."""
        return self.value if isinstance(self.value, bool) else self.wrong("true or false")

    def number(self, least: float = 0) -> float:
        """A number from ``least`` up."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.wrong("a number")
        if not least <= value <= _MOST:
            self.wrong(f"a number from {least} to {_MOST:g}")
        return float(value)

    def whole(self, least: int = 0) -> int:
        """An integer from ``least`` up."""
        if not isinstance(self.value, int):
            self.wrong("a whole number")
        return int(self.number(least))

    def optional_whole(self, least: int = 0) -> int | None:
        """An integer from ``least`` up, or null."""
        return None if self.value is None else self.whole(least)


def _texts(value: object) -> Iterator[str]:
    """Every string in it, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def read(file: str) -> Node:
    """The document in a file."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise UsageError(f"{file}: cannot be read ({reason})") from None
    try:
        value = json.loads(text, parse_constant=_not_json, parse_float=_finite)
        for found in _texts(value):
            if wrong := _UNSHOWABLE.search(found):
                raise ValueError(f"U+{ord(wrong[0]):04X} in a text cannot be shown")
        return Node(file, "", value)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: cannot be used as JSON ({error})") from None
