"""Proposes where headline, authors and date are, for pages on which `auto` finds none, or finds the same as elsewhere.

A place is believed if it says what `auto` has found on other pages.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from newsextract.reading.rules.ruled_body import RULE
from newsextract.reading.rules.ruled_fields import with_ruled_fields
from newsextract.reading.rules.site_rules import SiteRules
from newsextract.tools.probing.proposal import NotProposed, Proposal
from newsextract.tools.probing.stable_selectors import nearly_all, shared_selectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.reading.metadata import Metadata
    from newsextract.tools.probing.read_pages import ReadPage

LEAST_PAGES = 3
"""Pages from which a place is learned."""

LEAST_KNOWN = 2
"""Pages on which a place must say what the general reading has found."""

MOST_CHARS = 300
"""Characters of a headline, a byline or a date line."""

_DAY_CHARS = len("2026-05-20")
_ARTICLE_FIELDS = {"headline": "headline", "authors": "authors", "date": "datePublished"}


def propose_field(rule: str, pages: Sequence[ReadPage]) -> Proposal | NotProposed | None:
    """Return a rule for a field, why there is none, or `None` if none is needed."""
    values = [_value(rule, page.metadata) for page in pages]
    # Articles of one day and of one author are many; articles of one headline have it from somewhere else.
    doubted = {value for value, count in Counter(values).items() if rule == "headline" and count > 1}
    known = [None if value in doubted else value for value in values]
    wanted = sum(value is None for value in known)
    if not wanted or (rule == "authors" and wanted == len(pages)):  # many sites sign nothing
        return None
    told = f"auto finds none of its own on {wanted} of {len(pages)} pages"
    if len(pages) < LEAST_PAGES or len(pages) - wanted < LEAST_KNOWN:
        return NotProposed(rule, f"{told}; {LEAST_KNOWN} others are needed to learn from")
    unknown = {page.url for page, value in zip(pages, known, strict=True) if value is None}
    for selector in shared_selectors([page.places for page in pages]):
        found = [_ruled(rule, selector, page) for page in pages]
        if _is_right(found, known, doubted):
            urls = tuple(page.url for page, value in zip(pages, found, strict=True) if value)
            added = tuple(url for url in urls if url in unknown)
            return Proposal(rule, selector, urls, f"on {len(urls)} of {len(pages)} pages; says what auto finds", added)
    return NotProposed(rule, f"{told}; no place says what it finds on the others")


def _is_right(found: Sequence[str | None], known: Sequence[str | None], doubted: set[str | None]) -> bool:
    """Return whether values agree with those that are known, and there are new ones that nothing speaks against."""
    pairs = [(value, true) for value, true in zip(found, known, strict=True) if value]
    added = [value for value, true in pairs if true is None]
    agreed = sum(true is not None for _, true in pairs)
    if len(pairs) < nearly_all(len(found)) or agreed < LEAST_KNOWN or not added or doubted.intersection(added):
        return False
    return all(true in (None, value) for value, true in pairs)


def _ruled(rule: str, selector: str, page: ReadPage) -> str | None:
    """Return what a rule finds on a page, in a form that can be compared; `None` if it is not usable."""
    place = page.places.get(selector)
    if place is None:
        return None
    outline = page.page.outline
    start, stop = outline.runs_of(place)
    if not 0 < sum(map(len, outline.runs[start:stop])) <= MOST_CHARS:
        return None
    ruled = with_ruled_fields(page.page, page.metadata, SiteRules(**{rule: (selector,)}))  # type: ignore[arg-type]
    return _value(rule, ruled) if ruled.sources.get(_ARTICLE_FIELDS[rule]) == RULE else None


def _value(rule: str, metadata: Metadata) -> str | None:
    """Return a field in a form that can be compared: of a date the day; `None` if it is empty."""
    if rule == "authors":
        names = sorted(author.name.casefold() for author in metadata.authors or () if author.name)
        return ", ".join(names) or None
    if rule == "date":
        return metadata.datePublished[:_DAY_CHARS] if metadata.datePublished else None
    return " ".join((metadata.headline or "").casefold().split()) or None
