"""What is known about an article besides its text, under schema.org's names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# ruff: noqa: N815 - the names are schema.org's, as in zyte-common-items.


@dataclass(frozen=True, slots=True)
class Author:
    """Someone who signs the article."""

    name: str
    nameRaw: str | None = None
    """The name as the page writes it, with its "By" and its co-authors."""
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Image:
    """A picture, by its absolute address."""

    url: str


@dataclass(frozen=True, slots=True)
class Breadcrumb:
    """One step of the trail from the home page to the article."""

    name: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Metadata:
    """Everything a page says about its article: absent is `None` or empty, never `""`."""

    headline: str | None = None
    description: str | None = None
    datePublished: str | None = None
    """ISO 8601, with the offset when the page states one; a day alone stays a day."""
    datePublishedRaw: str | None = None
    dateModified: str | None = None
    dateModifiedRaw: str | None = None
    authors: tuple[Author, ...] = ()
    publisher: str | None = None
    inLanguage: str | None = None
    """ISO 639 code in lower case, without the country."""
    keywords: tuple[str, ...] = ()
    breadcrumbs: tuple[Breadcrumb, ...] = ()
    mainImage: Image | None = None
    images: tuple[Image, ...] = ()
    canonicalUrl: str | None = None
    isAccessibleForFree: bool | None = None

    schemaTypes: frozenset[str] = frozenset()
    """The schema.org types that the page's JSON-LD declares: a hint of the kind of page."""
    ogType: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    """The source that each filled field was read from."""
    warnings: tuple[str, ...] = ()
    """What was refused, and why."""
