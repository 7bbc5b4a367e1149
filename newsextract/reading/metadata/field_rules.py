"""How each field of an article is read: its sources in order, and the check of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.reading.metadata.access import check_free, check_selectors, weigh_access
from newsextract.reading.metadata.article_images import check_image, check_images
from newsextract.reading.metadata.article_language import check_language
from newsextract.reading.metadata.article_media import check_audios, check_videos
from newsextract.reading.metadata.authors.person_names import check_authors, prefer_persons
from newsextract.reading.metadata.canonical_url import check_canonical
from newsextract.reading.metadata.dates.date_checks import check_date
from newsextract.reading.metadata.label_checks import (
    check_breadcrumbs,
    check_description,
    check_keywords,
    check_publisher,
    check_section,
)
from newsextract.reading.metadata.live_blog import check_updates
from newsextract.reading.metadata.source_list import SOURCES
from newsextract.reading.metadata.titles.headline import check_headline
from newsextract.reading.metadata.usage_rights import check_rights, join_rights

if TYPE_CHECKING:
    from newsextract.reading.metadata.findings import Check, Weigher


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How one field is read."""

    check: Check
    """Checks the candidates of all sources."""
    sources: tuple[str, ...]
    """Read in this order until one has a usable value; a setting may name others."""
    weigh: Weigher | None = None
    """Combines or reorders the values of all sources, for fields that do not simply take the first."""


STRUCTURED = ("json_ld", "meta_tags", "microdata")
"""The sources that declare values for machines."""

_DATE_SOURCES = (
    *(*STRUCTURED, "feed", "time_element", "site_places"),
    *("address_date", "near_heading", "dateline", "last_change", "htmldate"),
)

FIELD_RULES: Mapping[str, FieldRule] = {
    "headline": FieldRule(check_headline, ("heading", *STRUCTURED, "feed", "title")),
    "description": FieldRule(check_description, STRUCTURED),
    "datePublished": FieldRule(check_date, _DATE_SOURCES),
    "dateModified": FieldRule(check_date, (*STRUCTURED, "time_element", "near_heading")),
    "authors": FieldRule(
        check_authors,
        (*STRUCTURED, "byline", "site_places", "near_heading", "signed_line"),
        prefer_persons,
    ),
    "publisher": FieldRule(check_publisher, STRUCTURED),
    "inLanguage": FieldRule(check_language, (*STRUCTURED, "detection")),
    "section": FieldRule(check_section, STRUCTURED),
    "keywords": FieldRule(check_keywords, STRUCTURED),
    "breadcrumbs": FieldRule(check_breadcrumbs, (*STRUCTURED, "trail")),
    "mainImage": FieldRule(check_image, STRUCTURED),
    "images": FieldRule(check_images, STRUCTURED),
    "videos": FieldRule(check_videos, STRUCTURED),
    "audios": FieldRule(check_audios, STRUCTURED),
    "canonicalUrl": FieldRule(check_canonical, ("meta_tags", "json_ld")),
    "isAccessibleForFree": FieldRule(check_free, STRUCTURED, weigh_access),
    "paywalledParts": FieldRule(check_selectors, ("json_ld", "microdata")),
    "usageRights": FieldRule(check_rights, ("robots_meta", "headers", "tdmrep"), join_rights),
    "liveBlogUpdates": FieldRule(check_updates, ("json_ld", "live_entries")),
}

PRECEDENCE: Mapping[str, tuple[str, ...]] = {field: rule.sources for field, rule in FIELD_RULES.items()}
"""The sources of each field, in order."""


class BadPrecedence(ValueError):  # noqa: N818 - the name says that it is an error
    """An unknown field or source; the message lists the known ones."""


def with_overrides(overrides: Mapping[str, Sequence[str]]) -> Mapping[str, tuple[str, ...]]:
    """Return `PRECEDENCE` with other sources for some fields; a field with an empty list is not read.

    Raises:
        BadPrecedence: an unknown field or source, or a value that is not a list of names.
    """
    for field, names in overrides.items():
        if field not in PRECEDENCE:
            raise BadPrecedence(f"there is no field {field!r}; the fields are {', '.join(PRECEDENCE)}")
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise BadPrecedence(f"{field}: {names!r} is not a list of sources")
        if unknown := [name for name in names if name not in SOURCES]:
            raise BadPrecedence(f"{field}: no source is called {unknown[0]!r}; there are {', '.join(SOURCES)}")
    return {**PRECEDENCE, **{field: tuple(names) for field, names in overrides.items()}}
