"""The JSON Schema of an article, from the declarations of its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from newsextract.article import Article

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEVER_MISSING = ["url", "headline", "articleBody"]
"""What readers of version 1 have been promised to find in each message, `null` or not."""
_PARTS = frozenset(("items", "additionalProperties"))


def article_schema(item: type = Article) -> dict[str, Any]:
    """Return the schema of an article, or of another class of items; descriptions are the docstrings of its fields."""
    return {**_plain(ItemAdapter.get_json_schema(item)), "required": _NEVER_MISSING}


def _plain(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a part of a schema in few words: no defaults, nothing about other fields, `null` as one of its types.

    >>> _plain({"anyOf": [{"type": "null"}, {"type": "array", "items": {"type": "string"}}], "default": None})
    {'type': ['array', 'null'], 'items': {'type': 'string'}}
    """
    if "anyOf" in part:
        null, other = part["anyOf"]
        part = {**other, **part, "type": [null["type"], other["type"]]}
    plain: dict[str, Any] = {"type": part["type"]} if "type" in part else {}
    if isinstance(plain.get("type"), list):
        plain["type"] = sorted(plain["type"], key="null".__eq__)
    for name, value in part.items():
        if name == "properties":
            plain[name] = {field: _plain(inner) for field, inner in value.items()}
        elif name in _PARTS and value:
            plain[name] = _plain(value)
        elif name not in {"type", "anyOf", "default", *_PARTS}:
            plain[name] = value
    return plain
