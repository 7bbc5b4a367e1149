"""The fields of a message, from its JSON Schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docs.generators.markdown import code, table
from newsextract.newsroom.delivery import messages as envelope

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def envelope_reference() -> str:
    """Return the table of a message's fields; those of the article have a page of their own."""
    schema = envelope.schema()
    required = set(schema["required"])
    rows = (
        [code(path), _type(part), "yes" if path in required else "", _about(path, part)]
        for path, part in _parts(schema)
    )
    return table(["field", "type", "always there", ""], rows)


def _parts(schema: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, part in schema["properties"].items():
        path = f"{prefix}{name}"
        yield path, part
        if "properties" in part and path != "article":
            yield from _parts(part, f"{path}.")


def _type(part: Mapping[str, Any]) -> str:
    if "const" in part:
        return code(part["const"])
    if "enum" in part:
        return ", ".join(map(code, part["enum"]))
    types = part["type"] if isinstance(part["type"], list) else [part["type"]]
    return " or ".join(types) + (", a time" if part.get("format") == "date-time" else "")


def _about(path: str, part: Mapping[str, Any]) -> str:
    return "The article, see [its fields](../fields.md)." if path == "article" else str(part.get("description", ""))
