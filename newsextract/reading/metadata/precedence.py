"""Which source is asked first for which field: one table, which a setting may override."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from newsextract.reading.metadata.source_list import SOURCES

_STRUCTURED = ("json_ld", "meta_tags", "microdata")

PRECEDENCE: Mapping[str, tuple[str, ...]] = {
    "headline": ("heading", *_STRUCTURED, "feed", "title"),
    "description": _STRUCTURED,
    "datePublished": (
        *(*_STRUCTURED, "feed", "time_element", "site_places"),
        *("address_date", "near_heading", "dateline", "htmldate"),
    ),
    "dateModified": (*_STRUCTURED, "time_element", "near_heading"),
    "authors": (*_STRUCTURED, "byline", "site_places", "near_heading"),
    "publisher": _STRUCTURED,
    "inLanguage": (*_STRUCTURED, "detection"),
    "section": _STRUCTURED,
    "keywords": _STRUCTURED,
    "breadcrumbs": (*_STRUCTURED, "trail"),
    "mainImage": _STRUCTURED,
    "images": _STRUCTURED,
    "canonicalUrl": ("meta_tags", "json_ld"),
    "isAccessibleForFree": _STRUCTURED,
    "paywalledParts": ("json_ld", "microdata"),
    "usageRights": ("robots_meta", "headers", "tdmrep"),
    "liveBlogUpdates": ("json_ld", "live_entries"),
}
"""The sources asked for each field, in this order, until one has a usable value."""


class BadPrecedence(ValueError):  # noqa: N818 - the name says that it is an error
    """There is no such field or source; the message lists those there are."""


def with_overrides(overrides: Mapping[str, Sequence[str]]) -> Mapping[str, tuple[str, ...]]:
    """Return the table with other orders for some fields; an empty one says that a field is not read.

    Raises:
        BadPrecedence: an unknown field or source, or something else than a list of names.
    """
    for field, names in overrides.items():
        if field not in PRECEDENCE:
            raise BadPrecedence(f"there is no field {field!r}; the fields are {', '.join(PRECEDENCE)}")
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise BadPrecedence(f"{field}: {names!r} is no list of sources")
        if unknown := [name for name in names if name not in SOURCES]:
            raise BadPrecedence(f"{field}: no source is called {unknown[0]!r}; there are {', '.join(SOURCES)}")
    return {**PRECEDENCE, **{field: tuple(names) for field, names in overrides.items()}}
