# SPDX-License-Identifier: MIT
"""Documents of the commands, held against the schema that they name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import referencing

FOLDER = Path(__file__).parents[1] / "schemas"
SCHEMAS = {
    schema["title"]: schema
    for path in FOLDER.glob("*.json")
    if (schema := json.loads(path.read_text(encoding="utf-8")))
}
REGISTRY: Any = referencing.Registry().with_resources(
    (schema["$id"], referencing.Resource.from_contents(schema))
    for schema in SCHEMAS.values()
    if "$id" in schema
)


def validated(text: str) -> dict[str, Any]:
    """The document in a text, if it is one of its schema."""
    found: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMAS[found["schema"]], registry=REGISTRY).validate(found)
    return found
