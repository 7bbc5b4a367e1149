"""What the page of an article says about it beside the text: each fact with a name and a value for readers.

Facts are what the page states, and how it was read. Numbers of rows, hashes and what only programs need are left out:
the article's JSON has everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.desk.desk_database import list_of, names_in, table_of
from newsextract.newsroom.desk.display import grouped, language_name, percent, time_shown
from newsextract.storage.schema.article_columns import snake_case

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MOST_CHARS = 400

_SOURCES = {
    "json_ld": "JSON-LD",
    "hydration": "the data for the page's scripts",
    "meta_tags": "meta tags",
    "heading": "the heading",
    "feed": "the feed or news sitemap",
    "time_element": "a time element",
    "byline": "the byline",
    "site_places": "where this site has it",
    "near_heading": "beside the heading",
    "signed_line": "a line that says who wrote it",
    "dateline": "the dateline",
    "last_change": "the date of the last change",
    "address_date": "the URL",
    "title": "the window's title",
    "trail": "the breadcrumbs",
    "detection": "the text itself",
    "live_entries": "the entries of the live blog",
    "robots_meta": "the robots meta tag",
    "headers": "HTTP headers",
    "tdmrep": "the site's tdmrep.json",
}
"""Where fields are found, for readers; other sources, such as extractors, keep their names."""


@dataclass(frozen=True)
class Fact:
    """Something that is known about an article."""

    name: str
    value: str
    source: str = ""
    """Where on the page it was found; empty if it is not from the page."""

    @property
    def is_link(self) -> bool:
        """Whether the value is the URL of a page."""
        return self.value.startswith(("http://", "https://"))


def facts(row: Mapping[str, Any]) -> dict[str, list[Fact]]:
    """Return the facts of an article's row, in groups; what is not known is left out."""
    named = {snake_case(name): str(source) for name, source in table_of(row.get("sources")).items()}
    sources = {column: _SOURCES.get(source, source) for column, source in named.items()}
    found = {
        title: [fact for column, how in group.items() if (fact := _fact(row, column, how, sources.get(column, "")))]
        for title, group in _GROUPS.items()
    }
    found[_READING] += [Fact(name, sources[column]) for column, name in _TEXTS.items() if column in sources]
    return {title: group for title, group in found.items() if group}


def _fact(row: Mapping[str, Any], column: str, how: _How, source: str) -> Fact | None:
    name, write = how
    value = write(row.get(column), row)
    if not value:
        return None
    return Fact(name, value if len(value) <= _MOST_CHARS else f"{value[:_MOST_CHARS]} …", source)


def _text(value: Any, _row: Mapping[str, Any]) -> str:
    return "" if value is None else str(value)


def _time(value: Any, _row: Mapping[str, Any]) -> str:
    return time_shown(value)


def _names(value: Any, _row: Mapping[str, Any]) -> str:
    return ", ".join(names_in(value))


def _path(value: Any, _row: Mapping[str, Any]) -> str:
    return " › ".join(names_in(value))


def _free(value: Any, row: Mapping[str, Any]) -> str:
    if value is None:
        return ""
    if value:
        return "yes"
    return "in part" if list_of(row.get("paywalled_parts")) else "no"


def _rights(value: Any, _row: Mapping[str, Any]) -> str:
    """Return what is stated on use by machines, in words.

    >>> _rights('{"tdmReservation": true, "tdmPolicy": null, "ai": false, "robots": ["noai"]}', {})
    'text and data mining is reserved; no training of AI; robots: noai'
    """
    stated = table_of(value)
    reserved, policy, robots = stated.get("tdmReservation"), stated.get("tdmPolicy"), stated.get("robots") or []
    parts = [
        "" if reserved is None else f"text and data mining is {'reserved' if reserved else 'not reserved'}",
        f"conditions at {policy}" if policy else "",
        "no training of AI" if stated.get("ai") is False else "",
        f"robots: {', '.join(map(str, robots))}" if robots else "",
    ]
    return "; ".join(part for part in parts if part)


def _other_address(value: Any, row: Mapping[str, Any]) -> str:
    return "" if value == row.get("url") else str(value or "")


def _count(value: Any, _row: Mapping[str, Any]) -> str:
    return grouped(value) if isinstance(value, int) else grouped(len(list_of(value)) or None)


def _sure(column: str, name: Callable[[Any], str] = str) -> Callable[[Any, Mapping[str, Any]], str]:
    """Return what writes a value, by its name, with the confidence in it that another column has."""

    def write(value: Any, row: Mapping[str, Any]) -> str:
        sure = row.get(column)
        return name(value or "") + (f", {percent(sure)} sure" if value and sure is not None else "")

    return write


if TYPE_CHECKING:
    _How = tuple[str, Callable[[Any, Mapping[str, Any]], str]]

_READING = "How it was read"
_TEXTS = {"headline": "Headline found in", "description": "Lead found in"}

_GROUPS: dict[str, dict[str, _How]] = {
    "About the article": {
        "url": ("Address", _text),
        "canonical_url": ("Address it states", _other_address),
        "date_published": ("Published", _time),
        "date_modified": ("Modified", _time),
        "authors": ("Authors", _names),
        "publisher": ("Publisher", _text),
        "in_language": ("Language", _sure("language_confidence", language_name)),
        "section": ("Section", _text),
        "breadcrumbs": ("Path", _path),
        "keywords": ("Keywords", _names),
        "word_count": ("Words", _count),
        "images": ("Pictures", _count),
        "videos": ("Videos", _count),
        "audios": ("Recordings", _count),
        "embeds": ("Embedded posts", _count),
        "comments": ("Comments", _count),
        "live_blog_updates": ("Entries", _count),
        "is_accessible_for_free": ("Free to read", _free),
        "usage_rights": ("Use by machines", _rights),
    },
    _READING: {
        "page_kind": ("Kind of page", _sure("probability")),
        "reasons": ("Because of", _names),
        "extractor": ("Text chosen by", _sure("confidence")),
        "date_first_seen": ("First seen", _time),
        "date_downloaded": ("Last read", _time),
    },
}
"""The facts in the order of the page: the column of each, its name, and how its value is written."""
