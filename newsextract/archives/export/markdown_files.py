"""Articles of a database as Markdown files, one each: a header in YAML, then headline and text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from newsextract.page.rendering.article_markdown import article_markdown
from newsextract.storage.articles.article_csv import encodable
from newsextract.storage.search.article_search import day_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_SLUG_CHARS = 40
"""Four bytes each at most: names of files end at 255."""
_ID_CHARS = 12

_HEADER = {
    "title": "headline", "url": "url", "site": "site", "date": "date_published", "modified": "date_modified",
    "authors": "authors", "publisher": "publisher", "language": "in_language", "section": "section",
    "keywords": "keywords", "description": "description", "id": "id",
}  # fmt: skip
"""The keys of the header, as other programs know them, and the columns of the database."""


def write_markdown(rows: Iterable[Mapping[str, Any]], folder: Path) -> int:
    """Write `SITE/DAY-HEADLINE-ID.md` for each article; return how many there were."""
    count = 0
    for row in rows:
        path = folder / _site(row["site"]) / file_name(row)
        path.parent.mkdir(exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(markdown_text(row))
        count += 1
    return count


def file_name(row: Mapping[str, Any]) -> str:
    """Return the name of an article's file, which no other has.

    >>> file_name({"moment": "2026-05-20T05:00:00", "headline": "Été: “Go!” / 7", "id": "0123456789abcdef"})
    '2026-05-20-été-go-7-0123456789ab.md'
    """
    slug = re.sub(r"\W+", "-", encodable(row["headline"] or "").lower())[:_SLUG_CHARS].strip("-")
    return "-".join(filter(None, (day_of(row), slug, row["id"][:_ID_CHARS]))) + ".md"


def markdown_text(row: Mapping[str, Any]) -> str:
    """Return the text of an article's file; what the page does not state is not in the header."""
    told = {key: _plain(row[column]) for key, column in _HEADER.items() if row[column]}
    header = yaml.safe_dump(told, sort_keys=False, allow_unicode=True)
    body = article_markdown(row["headline"], row["article_markdown"], row["article_body_html"], row["article_body"])
    return encodable(f"---\n{header}---\n\n{body}\n")


def _plain(value: Any) -> Any:
    """Return a value without halves of characters; authors as their names."""
    if isinstance(value, list):
        return [encodable(str(part["name"] if isinstance(part, dict) else part)) for part in value]
    return encodable(str(value))


def _site(site: str) -> str:
    return re.sub(r"[^\w.-]", "_", site).strip(".") or "_"
