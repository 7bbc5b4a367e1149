"""Write `docs/fields.md`, and the article in the JSON Schema of messages, from the fields of an article.

Run it in the project's folder after a field has changed, with `make fields`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from newsextract.article import Article
from newsextract.newsroom.delivery import messages as envelope
from newsextract.reading.metadata.precedence import PRECEDENCE
from newsextract.storage.schema import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HEAD = """# The fields of an article

The fields in `output/articles.jsonl` and in messages, their columns in the table `articles`, and their sources in order
of precedence; `NEWSEXTRACT_METADATA_SOURCES` sets another order. A value that the page does not state is `null`.
Written from `newsextract/article.py` by `make fields`.

| field | type | what it is | column | sources |
| --- | --- | --- | --- | --- |
"""

_NEVER_MISSING = ["url", "headline", "articleBody"]
"""Fields that version 1 promises in each message, `null` or not."""
_PARTS = frozenset(("items", "additionalProperties"))


def fields_page(item: type = Article) -> str:
    """Return the text of `docs/fields.md` for `Article` or another class of items."""
    columns: dict[str, list[str]] = {}
    for column in columns_of(item):
        columns.setdefault(".".join(column.path), []).append(f"`{column.name}`")
    rows = (
        f"| `{path}` | {_type(part)} | {part.get('description', '')} | {', '.join(columns.get(path, ()))} "
        f"| {', '.join(PRECEDENCE.get(path, ()))} |\n"
        for path, part in _parts(article_schema(item))
    )
    return _HEAD + "".join(rows)


def message_schema() -> str:
    """Return the text of the messages' schema, with the article as it is declared."""
    found = envelope.schema()
    found["properties"]["article"] = article_schema()
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _parts(schema: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, part in schema["properties"].items():
        yield f"{prefix}{name}", part
        inner = part.get("items", part)
        if "properties" in inner:
            yield from _parts(inner, f"{prefix}{name}{'[]' if 'items' in part else ''}.")


def _type(part: Mapping[str, Any]) -> str:
    """Return the name of a value's type in a word or two.

    >>> _type({"type": ["array", "null"], "items": {"type": "string"}}), _type({"enum": ["Person", "Organization"]})
    ('array of string', 'Person or Organization')
    """
    if "enum" in part:
        return " or ".join(part["enum"])
    name = part["type"] if isinstance(part["type"], str) else part["type"][0]
    return f"{name} of {_type(part['items'])}" if "items" in part else str(name)


def main(folder: Path = Path()) -> None:
    """Write both files of the project in this folder."""
    (folder / "docs" / "fields.md").write_text(fields_page(), "utf-8")
    schema_file = folder / "newsextract" / "newsroom" / "delivery" / f"envelope-{envelope.VERSION}.json"
    schema_file.write_text(message_schema(), "utf-8")


def article_schema(item: type = Article) -> dict[str, Any]:
    """Return the schema of an article, or of another class of items; descriptions are the docstrings of its fields."""
    return {**_plain(ItemAdapter.get_json_schema(item)), "required": _NEVER_MISSING}


def _plain(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a shortened part of a schema: no defaults, nothing about other fields, `null` among its types.

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


if __name__ == "__main__":
    main()
