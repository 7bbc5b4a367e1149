"""The fields in which articles are searched, and their values in a row of `articles`; for rules and for databases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsextract.sites.site_list.language_names import primary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFAULT_FIELDS = ("headline", "description", "body")
"""The fields searched for a word without a field."""
WORD_FIELDS = (*DEFAULT_FIELDS, "author", "section", "keyword", "publisher")
VALUE_FIELDS = ("site", "language")
"""Fields compared as a whole: `site:lemonde.fr` is the site with its subdomains, `language:fr` any French."""

NEEDED_COLUMNS = (
    "headline", "description", "article_body", "authors", "section", "keywords", "publisher", "in_language", "site",
)  # fmt: skip
"""The columns of `articles` that are read."""


def texts_of(row: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the texts of each field of words, one for each author and keyword; empty lists where there are none."""
    return {
        "headline": _given(row.get("headline")),
        "description": _given(row.get("description")),
        "body": _given(row.get("article_body")),
        "author": _given(*(author.get("name") for author in row.get("authors") or ())),
        "section": _given(row.get("section")),
        "keyword": _given(*(row.get("keywords") or ())),
        "publisher": _given(row.get("publisher")),
    }


def _given(*texts: str | None) -> list[str]:
    return [text for text in texts if text]


def values_of(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the fields that are compared as a whole, with each value.

    >>> list(values_of({"in_language": "fr-CA", "site": "a.example"}))
    [('language', 'fr'), ('site', 'a.example'), ('site', 'example')]
    """
    language = primary(row.get("in_language"))
    if language:
        yield "language", language
    site = str(row.get("site") or "")
    while site:
        yield "site", site
        site = site.partition(".")[2]
