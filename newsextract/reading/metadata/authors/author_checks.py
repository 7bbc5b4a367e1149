"""Whether a candidate for the authors names anybody, and persons before organisations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from newsextract.article import Author
from newsextract.reading.metadata.authors.person_names import MAX_NAME_CHARS, read_names
from newsextract.reading.metadata.page_urls import absolute
from newsextract.reading.metadata.refusals import Refused
from newsextract.reading.metadata.text_folding import fold
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues


def check_authors(raw: Raw, clues: Clues) -> tuple[Author, ...] | Refused:
    """Return the persons named, or where there is none the organisations, with absolute addresses."""
    signatures = [one for one in raw if isinstance(one, Author)]
    usable = [one for one in signatures if len(fold(one.name)) <= MAX_NAME_CHARS]
    named: dict[str, Author] = {}
    for author in usable:
        for one in read_names(author, clues.site_keys, clues.language):
            named.setdefault(one.name, replace(one, url=absolute(one.url or "", clues.page.base_url)))
    if not named:
        is_long = len(usable) < len(signatures)
        return Refused(Notice(NoticeCode.TOO_LONG, most=MAX_NAME_CHARS) if is_long else Notice(NoticeCode.NO_NAME))
    persons = tuple(one for one in named.values() if one.type == "Person")
    return persons or tuple(named.values())


def prefer_persons(found: Iterable[tuple[str, Raw, object]]) -> Iterator[tuple[str, Raw, object]]:
    """Yield organisations after what the other sources say: one of these may know who wrote the article."""
    organizations = []
    for name, raw, value in found:
        if isinstance(value, tuple) and not any(one.type == "Person" for one in value):
            organizations.append((name, raw, value))
        else:
            yield name, raw, value
    yield from organizations
