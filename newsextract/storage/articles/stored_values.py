"""The values of an article, from its row in the database."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from newsextract.article import Article, ArticleMetadata, ExtractionReport, Image
from newsextract.storage.schema.article_columns import ARTICLE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping


def values_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an article's row as the plain values of the article."""
    values = asdict(Article(row["url"]))
    parts: dict[str, dict[str, Any]] = {
        "metadata": asdict(ArticleMetadata()),
        "extraction": asdict(ExtractionReport("", 0.0)),
        "mainImage": asdict(Image("")),
    }
    for column in ARTICLE_COLUMNS:
        *outer, name = column.path
        if not outer:
            values[name] = row[column.name]
        elif row[column.name] is not None:
            values[outer[0]] = {**(values[outer[0]] or parts.get(outer[0], {})), name: row[column.name]}
    return values
