"""The item: an article as schema.org describes it, with where every field came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

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


@dataclass
class ArticleMetadata:
    """How and when the article was obtained."""

    dateDownloaded: str | None = None
    """ISO 8601 in UTC, to the second."""
    probability: float | None = None
    """How likely the page is an article, a live blog, a gallery or a video, from 0 to 1."""
    pageKind: str | None = None
    """`article`, `live`, `gallery`, `video`, `listing` or `other`."""
    reasons: list[str] | None = None
    """What speaks for that kind, the weightiest first: short phrases for people."""


@dataclass
class ExtractionReport:
    """Who found the text, how sure that is, where each field came from, and what was refused."""

    extractor: str
    confidence: float
    """From 0 to 1; see `Extraction.confidence`."""
    sources: dict[str, str] = field(default_factory=dict)
    """The source of each filled field: `json_ld`, `meta_tags`, …; for the body, the extractor."""
    warnings: list[str] = field(default_factory=list)
    languageConfidence: float | None = None
    """How sure the language is, from 0 to 1, where it was detected; `None` where the page declares it."""


@dataclass
class Article:
    """One news article. A field the page does not state is `None`, never empty."""

    url: str | None
    """Where the page was fetched, after redirects."""
    canonicalUrl: str | None = None
    headline: str | None = None
    description: str | None = None
    articleBody: str | None = field(default=None, repr=False)
    """The text, a paragraph a line, without the headline."""
    articleBodyHtml: str | None = field(default=None, repr=False)
    """The text as clean HTML with absolute URLs."""
    datePublished: str | None = None
    """ISO 8601, with offset when the page gives one."""
    datePublishedRaw: str | None = None
    dateModified: str | None = None
    dateModifiedRaw: str | None = None
    authors: list[Author] | None = None
    publisher: str | None = None
    inLanguage: str | None = None
    section: str | None = None
    keywords: list[str] | None = field(default=None, repr=False)
    breadcrumbs: list[Breadcrumb] | None = field(default=None, repr=False)
    mainImage: Image | None = field(default=None, repr=False)
    images: list[Image] | None = field(default=None, repr=False)
    """The main image first, then those inside the body, with their captions."""
    isAccessibleForFree: bool | None = None
    paywalledParts: list[str] | None = field(default=None, repr=False)
    """CSS selectors of what is behind the paywall, as the page marks it up."""
    usageRights: UsageRights | None = field(default=None, repr=False)
    """What the page, its server and its site say about use by machines."""
    liveBlogUpdates: list[LiveUpdate] | None = field(default=None, repr=False)
    """The entries of a live blog, in the order of the page; `articleBody` has their texts too."""
    wordCount: int | None = None
    metadata: ArticleMetadata | None = field(default=None, repr=False)
    extraction: ExtractionReport | None = field(default=None, repr=False)
