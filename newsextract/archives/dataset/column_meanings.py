"""What each column holds: the docstring of the article's field, or the comment that its table gives it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from newsextract.article import Article
from newsextract.storage.schema import ARTICLE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa


def meaning_of(column: pa.Field) -> str:
    """Return a sentence on a column of a data set; empty only for a column that is not ours."""
    told = (column.metadata or {}).get(b"comment", b"").decode()
    return told or _of_fields().get(column.name, "")


@cache
def _of_fields() -> Mapping[str, str]:
    schema = ItemAdapter.get_json_schema(Article)
    found = {}
    for column in ARTICLE_COLUMNS:
        told = _described(schema, column.path)
        found[column.name] = f"`{column.path[0]}` in UTC, to the second." if column.is_utc else told
    return found


def _described(schema: Mapping[str, Any], path: tuple[str, ...]) -> str:
    """Return the description of a field; of `mainImage.url`, where only that part has a column, the outer one's."""
    part = schema["properties"][path[0]]
    inner: Mapping[str, Any] = next((one for one in part.get("anyOf", [part]) if "properties" in one), {})
    if len(path) > 1 and path[0] in {"metadata", "extraction"}:
        return _described(inner, path[1:])
    return " ".join(str(part.get("description", "")).split())
