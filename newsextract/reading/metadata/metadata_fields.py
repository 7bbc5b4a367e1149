"""What is known about an article besides its text, under schema.org's names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.article import Author, Breadcrumb, Image, LiveUpdate, UsageRights

# ruff: noqa: N815 - the names are schema.org's, as in zyte-common-items.


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
    languageConfidence: float | None = None
    """From 0 to 1, where the language was detected rather than declared."""
    section: str | None = None
    keywords: tuple[str, ...] = ()
    breadcrumbs: tuple[Breadcrumb, ...] = ()
    mainImage: Image | None = None
    images: tuple[Image, ...] = ()
    canonicalUrl: str | None = None
    isAccessibleForFree: bool | None = None
    paywalledParts: tuple[str, ...] = ()
    """CSS selectors of what is behind the paywall, as the page marks it up."""
    usageRights: UsageRights | None = None
    liveBlogUpdates: tuple[LiveUpdate, ...] = ()
    """The entries of a live blog, in the order of the page."""

    schemaTypes: frozenset[str] = frozenset()
    """The schema.org types that the page's JSON-LD declares: a hint of the kind of page."""
    ogType: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    """The source that each filled field was read from; several, with commas, where they complete one another."""
    warnings: tuple[str, ...] = ()
    """What was refused, and why."""
