"""What is known about an article besides its text, under schema.org's names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

# ruff: noqa: N815 - the names are schema.org's, as in zyte-common-items.


@dataclass(frozen=True, slots=True)
class Author:
    """Someone, or an organisation, that signs the article."""

    name: str
    nameRaw: str | None = None
    """The name as the page writes it, with its "By" and its co-authors."""
    url: str | None = None
    type: Literal["Person", "Organization"] = "Person"


@dataclass(frozen=True, slots=True)
class Image:
    """A picture, by its absolute address."""

    url: str
    caption: str | None = None
    """What stands below it, where it is inside the body."""


@dataclass(frozen=True, slots=True)
class Breadcrumb:
    """One step of the trail from the home page to the article."""

    name: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class UsageRights:
    """What the page, its server or its site says about use by machines; what nobody says is `None` or empty."""

    tdmReservation: bool | None = None
    """Whether rights of text and data mining are reserved (TDM Reservation Protocol)."""
    tdmPolicy: str | None = None
    """The address of the conditions under which mining is allowed."""
    ai: bool | None = None
    """`False` where training is forbidden: by `noai`, by shutting out a model's crawler, or by `train-ai=n`."""
    robots: tuple[str, ...] = ()
    """What restricts or bounds use, lower-cased: `noai`, `max-snippet:50`, and to one robot `gptbot: noindex`."""


@dataclass(frozen=True, slots=True)
class LiveUpdate:
    """One entry of a live blog."""

    datePublished: str | None = None
    """ISO 8601, as the page states it: the time alone where it gives no day."""
    headline: str | None = None
    articleBody: str = field(default="", repr=False)
    """The text, a paragraph a line; empty where the page lists headlines only."""


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
