# SPDX-License-Identifier: MIT
"""A part of the JSON that is shown as it is: its plan, its machine. Keys that are new show too."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """One value."""

    name: str
    at: str
    text: str


def _text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value)


def facts(part: dict[str, object], at: str) -> list[Fact]:
    """Every value of it, those of a nested object with the keys before."""
    found: list[Fact] = []
    for key, value in part.items():
        name = key.replace("_", " ")
        place = f"{at}/{key}"
        if isinstance(value, dict):
            found += [Fact(f"{name}, {one.name}", one.at, one.text) for one in facts(value, place)]
        elif isinstance(value, list) and not any(isinstance(one, dict) for one in value):
            found.append(Fact(name, place, ", ".join(map(_text, value)) or "none"))
        elif isinstance(value, list):
            for index, one in enumerate(value):
                found += [
                    Fact(f"{name}, {below.name}", below.at, below.text)
                    for below in facts(one, f"{place}/{index}")
                ]
        else:
            found.append(Fact(name, place, _text(value)))
    return found
