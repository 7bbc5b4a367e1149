"""The item: an article with schema.org's field names, and the source of every field.

Each field is declared here only, by name, type and docstring. From the declaration follow the columns of the table
`articles` (`storage/schema`), the JSON Schema of the messages (`newsroom/delivery`) and `docs/fields.md`; its sources
on a page are in `reading/metadata/precedence.py`. The field's metadata adds what name and type do not say: `kept` for
the column, `json_schema_extra` for the schema. After a change, run `make fields`.
"""

from __future__ import annotations

import json
from dataclasses import InitVar, dataclass, field, fields, is_dataclass, replace
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from newsextract import article_forms
from newsextract.article_parts import Audio, Comment, Embed, Video  # noqa: TC001 - columns and schema follow the types

if TYPE_CHECKING:
    import zyte_common_items

_SHOWN_CHARS = 60
"""Characters of the headline on one line."""


class ArticleForms:
    """The methods of `Article`, which declares the fields; they change nothing."""

    url: str | None
    headline: str | None
    articleBody: str | None
    articleBodyHtml: str | None
    articleMarkdown: str | None
    datePublished: str | None
    authors: Any
    publisher: str | None
    wordCount: int | None
    page_words: Any = None
    """What its page said, see `newsextract.page.page_words`, for the database; no field, so it is exported nowhere."""

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, absent ones as `None`, with what lies in them as dictionaries and lists."""
        return plain(self)  # type: ignore[no-any-return]  # the class that has the fields is a dataclass

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the same as JSON, on one line without `indent`; letters of all scripts stay as they are."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def to_json_ld(self) -> dict[str, Any]:
        """Return schema.org's `NewsArticle`, `LiveBlogPosting` or `DiscussionForumPosting`, to embed in a page."""
        return article_forms.to_json_ld(self.to_dict())

    def to_ninjs(self) -> dict[str, Any]:
        """Return a news item of the IPTC's ninjs 2.4."""
        return article_forms.to_ninjs(self.to_dict())

    def to_zyte(self) -> zyte_common_items.Article:
        """Return the `Article` of zyte-common-items, which must be installed; other fields are its unknown ones."""
        return article_forms.to_zyte(self.to_dict())

    @property
    def markdown(self) -> str:
        """The headline and the body as Markdown (CommonMark, with GitHub's tables); an empty string without both.

        The body is `articleMarkdown` if that was asked for; else it is made of `articleBodyHtml`.
        """
        from newsextract.page.rendering.renderer import article_markdown  # noqa: PLC0415 - rarely needed

        return article_markdown(self.headline, self.articleMarkdown, self.articleBodyHtml, self.articleBody)

    def __repr__(self) -> str:
        title = self.headline or "without headline"
        cut = title if len(title) <= _SHOWN_CHARS else f"{title[: _SHOWN_CHARS - 1]}…"
        facts = (self.datePublished, f"{self.wordCount or 0} words", self.url)
        return f"<Article {cut!r}: {', '.join(filter(None, facts))}>"

    def _repr_html_(self) -> str:
        """Return the article for a notebook: nothing in it can run, whatever the fields were filled with."""
        import nh3  # noqa: PLC0415 - only notebooks need it here

        from newsextract.page.rendering.renderer import paragraphs  # noqa: PLC0415 - likewise

        by = ", ".join(author.name for author in self.authors or ())
        facts = (by, self.publisher, self.datePublished, self.url)
        line = " · ".join(escape(fact) for fact in facts if fact)
        body = self.articleBodyHtml or paragraphs(self.articleBody or "")
        return nh3.clean(f"<h2>{escape(self.headline or '')}</h2><p><em>{line}</em></p>{body}")


def plain(value: Any) -> Any:
    """Return a value with dictionaries in place of dataclasses: as `asdict`, but several times quicker.

    >>> from newsextract.article import Author
    >>> plain([Author("Ann Lee")])
    [{'name': 'Ann Lee', 'nameRaw': None, 'url': None, 'type': 'Person'}]
    """
    if value is None or isinstance(value, str):
        return value  # most are
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    names = _field_names(type(value))  # type: ignore[arg-type]  # a class is hashable
    return value if names is None else {name: plain(getattr(value, name)) for name in names}


@cache
def _field_names(kind: Any) -> tuple[str, ...] | None:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None


# ruff: noqa: N815 - the names are schema.org's, as in zyte-common-items.


@dataclass(frozen=True, slots=True)
class Kept:
    """How a field is stored in its column, if its type does not say so. `None` instead of it: no column."""

    chars: int | None = None
    """The longest text, in characters."""
    is_long: bool = False
    """Whether a text may exceed 64 kB."""
    is_required: bool = False
    comment: str | None = None
    """The column's comment in the database; changing it needs a migration, as changing the type does."""
    part: str | None = None
    """The only part of the value that is stored."""
    is_spread: bool = False
    """Whether each part of the value has its own column."""
    is_sorted: bool = False
    """Whether a column beside it, with `_utc` after its name, has the time in UTC: local times do not sort."""


_TIME = Kept(chars=40, comment="ISO 8601")
_FROM_0_TO_1 = {"json_schema_extra": {"minimum": 0, "maximum": 1}}


@dataclass(frozen=True, slots=True)
class Author:
    """A person or organisation named as an author of the article."""

    name: str
    """The name alone."""
    nameRaw: str | None = None
    """The name as the page writes it, with its "By" and its co-authors."""
    url: str | None = None
    """The URL of the author's page."""
    type: Literal["Person", "Organization"] = field(
        default="Person", metadata={"json_schema_extra": {"enum": ["Person", "Organization"]}}
    )
    """An organisation is given only if no person is named."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture, by its absolute URL."""

    url: str
    """The absolute URL."""
    caption: str | None = None
    """The caption below it, if it is inside the body."""


@dataclass(frozen=True, slots=True)
class Breadcrumb:
    """One step of the path from the home page to the article."""

    name: str | None = None
    """The name that the page gives it."""
    url: str | None = None
    """The absolute URL."""


@dataclass(frozen=True, slots=True)
class UsageRights:
    """What the page, its server and its site say about use by machines; what none of them states is `None` or empty."""

    tdmReservation: bool | None = None
    """Whether the rights to text and data mining are reserved (TDM Reservation Protocol)."""
    tdmPolicy: str | None = None
    """The URL of the conditions under which mining is allowed."""
    ai: bool | None = None
    """False if training is forbidden: by `noai`, by shutting out an AI crawler, by `train-ai=n` or `ai-train=no`."""
    robots: tuple[str, ...] = ()
    """The directives that restrict use, in lower case: `noai`, `max-snippet:50`; for one robot `gptbot: noindex`."""
    license: str | None = None
    """The URL of the licence that the page states, else the one of its site's robots.txt."""
    statements: tuple[str, ...] = ()
    """All that was said when the page was read, each with its source first (`meta`, `header`, `link`, `json-ld`,
    `tdmrep.json`, `robots.txt`, or `mention` of a licence): `meta robots: noai`, `robots.txt disallow: gptbot`."""


@dataclass(frozen=True, slots=True)
class LiveUpdate:
    """One entry of a live blog."""

    datePublished: str | None = None
    """ISO 8601, as the page states it: only the time if it gives no day."""
    headline: str | None = None
    """The title of the entry."""
    articleBody: str = field(default="", repr=False)
    """The text, one paragraph per line; empty if the page lists only headlines."""


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
    pageKind: str | None = field(default=None, metadata={"kept": Kept(chars=16)})
    """`article`, `live`, `gallery`, `video`, `thread`, `listing` or `other`."""
    reasons: list[str] | None = None
    """The reasons for that kind, the weightiest first: short phrases for people."""


@dataclass
class ExtractionReport:
    """The extractor, its confidence, the source of each field, and what was refused."""

    extractor: str = field(metadata={"kept": Kept(chars=64)})
    """The name of the extractor that found the text."""
    confidence: float
    """From 0 to 1; see `Extraction.confidence`."""
    sources: dict[str, str] = field(default_factory=dict)
    """The source of each filled field: `json_ld`, `meta_tags`, …; for the body, the extractor."""
    warnings: list[str] = field(default_factory=list)
    """What was refused or cut, and on what sources disagree."""
    languageConfidence: float | None = field(
        default=None, metadata={"kept": Kept(comment="where the language was detected")}
    )
    """The confidence in a detected language, from 0 to 1; `None` if the page declares its language."""
    facts: InitVar[tuple[object, ...]] = ()

    def __post_init__(self, facts: tuple[object, ...]) -> None:
        # Not a field: the warnings as values are for programs and are not exported.
        self.noticed = facts


@dataclass(repr=False)
class Article(ArticleForms):
    """One news article. A field that the page does not state is `None`, never empty."""

    url: str | None = field(metadata={"kept": Kept(is_required=True)})
    """The URL of the fetched page, after redirects."""
    canonicalUrl: str | None = field(
        default=None, metadata={"kept": Kept(is_required=True, comment="the page's own URL where it states none")}
    )
    """The URL that the page states for itself; one on another site is a claim that the page is a copy."""
    headline: str | None = None
    """The title of the article, without the name of the site."""
    description: str | None = None
    """The lead or summary that the page declares."""
    articleBody: str | None = field(default=None, repr=False, metadata={"kept": Kept(is_long=True)})
    """The text, one paragraph per line, without the headline."""
    articleBodyHtml: str | None = field(default=None, repr=False, metadata={"kept": Kept(is_long=True)})
    """The text as clean HTML with absolute URLs."""
    articleMarkdown: str | None = field(default=None, repr=False, metadata={"kept": Kept(is_long=True)})
    """The text as Markdown; only on request (`markdown=True`, `NEWSEXTRACT_MARKDOWN`)."""
    datePublished: str | None = field(default=None, metadata={"kept": replace(_TIME, is_sorted=True)})
    """ISO 8601, with time and offset only where the page gives them; the day is that which the page shows."""
    datePublishedRaw: str | None = None
    """As the page writes it."""
    dateModified: str | None = field(default=None, metadata={"kept": _TIME})
    """ISO 8601, like `datePublished`."""
    dateModifiedRaw: str | None = None
    """As the page writes it."""
    authors: list[Author] | None = None
    """The authors, in page order; organisations only if no person is named."""
    publisher: str | None = None
    """The name of the outlet."""
    inLanguage: str | None = field(default=None, metadata={"kept": Kept(chars=35)})
    """A language tag, such as fr or pt-BR."""
    section: str | None = None
    """The section of the site that the article is in."""
    keywords: list[str] | None = field(default=None, repr=False)
    """The keywords that the page declares, without those meant for machines."""
    breadcrumbs: list[Breadcrumb] | None = field(default=None, repr=False)
    """The path from the home page, without the article itself."""
    mainImage: Image | None = field(default=None, repr=False, metadata={"kept": Kept(part="url")})
    """The picture that the page declares as its own."""
    images: list[Image] | None = field(default=None, repr=False)
    """The main image first, then those inside the body, with their captions."""
    videos: list[Video] | None = field(default=None, repr=False)
    """The videos inside the body, in their order, then others that the page declares as the article's."""
    audios: list[Audio] | None = field(default=None, repr=False)
    """The recordings, likewise."""
    embeds: list[Embed] | None = field(default=None, repr=False)
    """The posts, charts and documents of other sites inside the body, in their order."""
    isAccessibleForFree: bool | None = None
    """Whether all of it can be read without paying, as the page declares."""
    paywalledParts: list[str] | None = field(default=None, repr=False, metadata={"kept": Kept(comment="CSS selectors")})
    """CSS selectors of the parts that are not free."""
    usageRights: UsageRights | None = field(default=None, repr=False)
    """What the page, its server and its site say about use by machines."""
    liveBlogUpdates: list[LiveUpdate] | None = field(default=None, repr=False)
    """The entries of a live blog, in the order of the page; `articleBody` has their texts too."""
    comments: list[Comment] | None = field(default=None, repr=False)
    """The posts of a thread, the question first; else the readers' comments, on request (`NEWSEXTRACT_COMMENTS`)."""
    wordCount: int | None = field(default=None, metadata={"json_schema_extra": {"minimum": 0}})
    """How many words `articleBody` has."""
    metadata: ArticleMetadata | None = field(default=None, repr=False, metadata={"kept": Kept(is_spread=True)})
    """How and when the article was obtained."""
    extraction: ExtractionReport | None = field(default=None, repr=False, metadata={"kept": Kept(is_spread=True)})
    """The extractor, its confidence, and the source of each field."""
