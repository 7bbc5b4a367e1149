"""The item: an article as schema.org describes it, with where every field came from.

This is the one declaration of each field: its name, its type and its docstring. From them follow what is read of a page
(`reading/metadata/field_rules.py` says where), the columns of the table `articles` (`storage/schema`), the JSON Schema
of the messages (`newsroom/delivery`) and `docs/fields.md`. What name and type do not say is in the field's metadata:
`kept` for the column, `json_schema_extra` for the schema. After a change, `make fields`.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Literal

# ruff: noqa: N815 - the names are schema.org's, as in zyte-common-items.


@dataclass(frozen=True, slots=True)
class Kept:
    """How a field is kept in its column, where its type does not say so. `None` in place of it: it has no column."""

    chars: int | None = None
    """The most that a text may have."""
    is_long: bool = False
    """Whether a text may exceed 64 kB."""
    is_required: bool = False
    comment: str | None = None
    """What the database says about the column; another comment needs a migration, as another type does."""
    part: str | None = None
    """The one part of the value that the column has."""
    is_spread: bool = False
    """Whether each part of the value has a column of its own."""


_TIME = Kept(chars=40, comment="ISO 8601")
_FROM_0_TO_1 = {"json_schema_extra": {"minimum": 0, "maximum": 1}}


@dataclass(frozen=True, slots=True)
class Author:
    """Someone, or an organisation, that signs the article."""

    name: str
    """The name alone."""
    nameRaw: str | None = None
    """The name as the page writes it, with its "By" and its co-authors."""
    url: str | None = None
    """The URL of the author's page."""
    type: Literal["Person", "Organization"] = field(
        default="Person", metadata={"json_schema_extra": {"enum": ["Person", "Organization"]}}
    )
    """An organisation signs where no person does."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture, by its absolute URL."""

    url: str
    """The absolute URL."""
    caption: str | None = None
    """The caption below it, if it is inside the body."""


@dataclass(frozen=True, slots=True)
class Breadcrumb:
    """One step of the trail from the home page to the article."""

    name: str | None = None
    """What the page calls it."""
    url: str | None = None
    """The absolute URL."""


@dataclass(frozen=True, slots=True)
class UsageRights:
    """What the page, its server or its site says about use by machines; what nobody says is `None` or empty."""

    tdmReservation: bool | None = None
    """Whether rights of text and data mining are reserved (TDM Reservation Protocol)."""
    tdmPolicy: str | None = None
    """The URL of the conditions under which mining is allowed."""
    ai: bool | None = None
    """False where training is forbidden: by `noai`, by shutting out a model's crawler, or by `train-ai=n`."""
    robots: tuple[str, ...] = ()
    """What restricts use, in lower case: `noai`, `max-snippet:50`, and for one robot `gptbot: noindex`."""


@dataclass(frozen=True, slots=True)
class LiveUpdate:
    """One entry of a live blog."""

    datePublished: str | None = None
    """ISO 8601, as the page states it: the time alone where it gives no day."""
    headline: str | None = None
    """The title of the entry."""
    articleBody: str = field(default="", repr=False)
    """The text, a paragraph a line; empty where the page lists headlines only."""


@dataclass
class ArticleMetadata:
    """How and when the article was obtained."""

    dateDownloaded: str | None = field(
        default=None,
        metadata={"kept": Kept(chars=40, is_required=True, comment="ISO 8601, UTC: the newest version's")},
    )
    """ISO 8601 in UTC."""
    probability: float | None = field(default=None, metadata=_FROM_0_TO_1)
    """How likely the page is an article, a live blog, a gallery or a video, from 0 to 1."""
    pageKind: str | None = field(default=None, metadata={"kept": None})
    """`article`, `live`, `gallery`, `video`, `listing` or `other`."""
    reasons: list[str] | None = field(default=None, metadata={"kept": None})
    """What speaks for that kind, the weightiest first: short phrases for people."""


@dataclass
class ExtractionReport:
    """Who found the text, how sure that is, where each field came from, and what was refused."""

    extractor: str = field(metadata={"kept": Kept(chars=64)})
    """The name of the extractor that found the text."""
    confidence: float
    """From 0 to 1; see `Extraction.confidence`."""
    sources: dict[str, str] = field(default_factory=dict)
    """The source of each filled field: `json_ld`, `meta_tags`, …; for the body, the extractor."""
    warnings: list[str] = field(default_factory=list)
    """What was refused or cut, and where sources disagree."""
    languageConfidence: float | None = field(
        default=None, metadata={"kept": Kept(comment="where the language was detected")}
    )
    """How sure the language is, from 0 to 1, where it was detected; empty where the page declares it."""
    facts: InitVar[tuple[object, ...]] = ()

    def __post_init__(self, facts: tuple[object, ...]) -> None:
        # No field: what the warnings say as values is for the program, and stands in no export.
        self.noticed = facts


@dataclass
class Article:
    """One news article. A field the page does not state is `None`, never empty."""

    url: str | None = field(metadata={"kept": Kept(is_required=True)})
    """Where the page was fetched, after redirects."""
    canonicalUrl: str | None = field(
        default=None, metadata={"kept": Kept(is_required=True, comment="the page's own URL where it states none")}
    )
    """The address that the page states for itself."""
    headline: str | None = None
    """The title of the article, without the name of the site."""
    description: str | None = None
    """The lead or summary that the page declares."""
    articleBody: str | None = field(default=None, repr=False, metadata={"kept": Kept(is_long=True)})
    """The text, a paragraph a line, without the headline."""
    articleBodyHtml: str | None = field(default=None, repr=False, metadata={"kept": Kept(is_long=True)})
    """The text as clean HTML with absolute URLs."""
    datePublished: str | None = field(default=None, metadata={"kept": _TIME})
    """ISO 8601, with time and offset only where the page gives them."""
    datePublishedRaw: str | None = None
    """As the page writes it."""
    dateModified: str | None = field(default=None, metadata={"kept": _TIME})
    """ISO 8601, like `datePublished`."""
    dateModifiedRaw: str | None = None
    """As the page writes it."""
    authors: list[Author] | None = None
    """Who signs, in the order of the page; an organisation only where it alone signs."""
    publisher: str | None = None
    """The name of the outlet."""
    inLanguage: str | None = field(default=None, metadata={"kept": Kept(chars=35)})
    """A language tag, such as fr or pt-BR."""
    section: str | None = None
    """The section of the site that the article is in."""
    keywords: list[str] | None = field(default=None, repr=False)
    """The keywords that the page declares, without those that only machines read."""
    breadcrumbs: list[Breadcrumb] | None = field(default=None, repr=False)
    """The trail from the home page, without the article itself."""
    mainImage: Image | None = field(default=None, repr=False, metadata={"kept": Kept(part="url")})
    """The picture that the page declares as its own."""
    images: list[Image] | None = field(default=None, repr=False)
    """The main image first, then those inside the body, with their captions."""
    isAccessibleForFree: bool | None = None
    """Whether all of it can be read without paying, as the page declares."""
    paywalledParts: list[str] | None = field(default=None, repr=False, metadata={"kept": Kept(comment="CSS selectors")})
    """CSS selectors of what is not free."""
    usageRights: UsageRights | None = field(default=None, repr=False)
    """What the page, its server and its site say about use by machines."""
    liveBlogUpdates: list[LiveUpdate] | None = field(default=None, repr=False)
    """The entries of a live blog, in the order of the page; `articleBody` has their texts too."""
    wordCount: int | None = field(default=None, metadata={"json_schema_extra": {"minimum": 0}})
    """How many words `articleBody` has."""
    metadata: ArticleMetadata | None = field(default=None, repr=False, metadata={"kept": Kept(is_spread=True)})
    """How and when the article was obtained."""
    extraction: ExtractionReport | None = field(default=None, repr=False, metadata={"kept": Kept(is_spread=True)})
    """Who found the text, how sure that is, and where each field came from."""
