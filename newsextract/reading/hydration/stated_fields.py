"""Read the fields of an article from the object that holds its text, where the page itself states none."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from newsextract.article import Author
from newsextract.reading.hydration.object_signs import TITLE_KEY, Subject, scalars
from newsextract.reading.metadata.field_rules import FIELD_RULES, PRECEDENCE
from newsextract.reading.metadata.findings import Refused
from newsextract.reading.metadata.page_clues import Clues

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from newsextract.page.page import Page
    from newsextract.reading.metadata.findings import Metadata, Raw

SOURCE = "hydration"
_DATE_KEYS = {
    "datePublished": re.compile(r"publi|first|display_?date|^date$|posted|released|^created", re.IGNORECASE),
    "dateModified": re.compile(r"modif|updat|changed|edited", re.IGNORECASE),
}
_DESCRIPTION_KEY = re.compile(
    r"^(?:description|standfirst|summary|excerpt|dek|sub_?(?:head|title).*|abstract)$", re.IGNORECASE
)
_AUTHOR_KEY = re.compile(r"author|byline|creator|writer|contributor", re.IGNORECASE)
_NAME_KEYS = ("name", "displayName", "display_name", "fullName", "full_name", "title", "text")
_MAX_AUTHORS = 20
_MAX_CHARS = 1_000
_SECONDS = (631_152_000, 4_102_444_800)
"""Seconds since 1970 of the years 1990 and 2100."""
_DEPTH = 1


class Extracted(Protocol):
    """What of an extraction matters here."""

    @property
    def sources(self) -> Mapping[str, str]:
        """The sources of what was extracted."""

    @property
    def held_in(self) -> Mapping[str, object] | None:
        """The object of the page's data that holds the text."""


_FIELDS = ("headline", "description", "datePublished", "dateModified", "authors")


def with_hydrated_fields(
    page: Page, extraction: Extracted, metadata: Metadata, precedence: Mapping[str, tuple[str, ...]] = PRECEDENCE
) -> Metadata:
    """Return the metadata with what the object of the body states and the page lacks.

    Pages that show their article have them from elsewhere. The title of a window is no headline.
    A field without any source in `precedence` is not read.
    """
    node = extraction.held_in
    if node is None or extraction.sources.get("articleBody") != SOURCE:
        return metadata
    clues = Clues(page)
    found: dict[str, object] = {}
    for field in filter(precedence.get, _FIELDS):
        is_guess = field == "headline" and metadata.sources.get(field) == "title"
        if getattr(metadata, field) and not is_guess:
            continue
        checked = ((raw, FIELD_RULES[field].check(raw, clues)) for raw in _candidates(field, node, clues))
        usable = ((raw, value) for raw, value in checked if value and not isinstance(value, Refused))
        for raw, value in islice(usable, 1):
            found[field] = list(value) if isinstance(value, tuple) else value
            if field in _DATE_KEYS:
                found[f"{field}Raw"] = str(raw)
    sources = {**metadata.sources, **{field: SOURCE for field in found if field in _FIELDS}}
    return replace(metadata, **found, sources=sources)  # type: ignore[arg-type]  # each is checked by its field's rule


def _candidates(field: str, node: Mapping[str, object], clues: Clues) -> Iterator[Raw]:
    if field == "headline":
        subject = Subject(clues)
        texts = [(key, text) for key, text in scalars(node, 2) if isinstance(text, str)]
        own = [(key, text) for key, text in texts if "/" not in text and subject.is_title(text)]
        yield from (text for _, text in sorted(own, key=lambda one: not TITLE_KEY.search(one[0])))
    elif field == "authors":
        yield from _authors(node)
    elif field == "description":
        for key, text in scalars(node, _DEPTH):
            if isinstance(text, str) and _DESCRIPTION_KEY.search(key) and len(text) <= _MAX_CHARS:
                yield text
    else:
        for key, value in scalars(node, _DEPTH):
            if _DATE_KEYS[field].search(key) and (date := _date(value)):
                yield date


def _date(value: object) -> str:
    """Return a date as text, be it text already or the seconds or milliseconds since 1970."""
    if isinstance(value, str):
        return value if any(map(str.isdecimal, value)) and len(value) <= 60 else ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    seconds = value / 1000 if value > _SECONDS[1] else value
    if not _SECONDS[0] <= seconds <= _SECONDS[1]:
        return ""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _authors(node: Mapping[str, object]) -> Iterator[Raw]:
    inner = [each for each in node.values() if isinstance(each, dict)]
    for each in (node, *inner[:20]):
        for key, value in each.items():
            if _AUTHOR_KEY.search(key):
                names = list(_names(value, 0))[:_MAX_AUTHORS]
                if names:
                    yield tuple(Author(name) for name in dict.fromkeys(names))


def _names(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if 2 < len(value) <= 100 and not value.isdecimal() and "/" not in value:
            yield value
    elif isinstance(value, list) and depth < 4:
        for each in value[:_MAX_AUTHORS]:
            yield from _names(each, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
        if name is not None:
            yield from _names(name, depth + 1)
        else:
            for inner in value.values():
                if isinstance(inner, (dict, list)):
                    yield from _names(inner, depth + 1)
