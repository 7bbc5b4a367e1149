"""Decide the kind of a page: an article, a live blog, a gallery, a video, a listing, or something else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import expm1
from typing import TYPE_CHECKING

from newsextract.page.urls.url_parts import split_url
from newsextract.page.words import count_words
from newsextract.reading.hydration.stated_fields import SOURCE as HYDRATION
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.page_kinds.article_formats import format_of
from newsextract.reading.page_kinds.kind_model import load, reasons_for, require_fit
from newsextract.reading.page_kinds.page_features import features_of
from newsextract.reading.page_state import NoArticle, PageState
from newsextract.reading.reading_defaults import ARTICLE_LIKE, KINDS

if TYPE_CHECKING:
    from collections.abc import Collection

    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata import Metadata
    from newsextract.reading.page_kinds.kind_model import PageClassifier
    from newsextract.reading.page_kinds.page_features import PageFeatures
    from newsextract.reading.reading_defaults import Kind

ARTICLE_FROM = 0.4
"""The least probability of an article. On folds disjoint by site at least 98 of 100 pages of news reach it.

A higher one would lose short news, above all in languages with little training data, for a thousandth of F1.
"""

FORMAT_FROM = 0.1
"""Below this probability of an article, a URL alone does not make a page a gallery or a video: it lists them."""

MIN_WORDS = 20
"""A shorter text is a caption or a notice; the shortest news briefs have about thirty words."""

TEASERS_A_BLOCK = 0.9
"""From this many linked headlines per kept block on, the text is headlines with teasers. Articles have a few among
their paragraphs: of 3,900, five to seven reach this."""
MIN_TEASERS = 5

LIST_SHARE = 0.3
"""From this share of linked headlines in its text on, a page without an article is a listing. A third of the labelled
listings reach it, and one in twelve shops, services and forums."""

_TAG = re.compile(r"<[a-zA-Z/!?]")
_JSON_START = re.compile(r'\s*(?:\{\s*["}]|\[\s*[\[{"\]])')

_HYDRATED = 0.8
"""The probability of an article where the data of a page's scripts has its headline, a date and a text."""
_HYDRATED_WORDS = 60
"""Shorter texts in such data are often those of sections and teasers; the model judges them."""
_NO_ARTICLES = tuple("product offer forum question recipe jobposting event profile itemlist video".split())
"""Parts of declared types that speak against an article."""

_SURE = 0.99
_TEASED = 0.1
"""The probability that such a page is still an article, or not a listing."""


class UnknownKind(ValueError):  # noqa: N818 - the name says that it is an error
    """An unknown kind of page; the message lists the known ones."""


@dataclass(frozen=True, slots=True)
class PageKind:
    """The kind that a page was judged to be."""

    kind: Kind
    probability: float
    """The probability of this kind, from 0 to 1."""
    reasons: tuple[str, ...]
    """The reasons, the weightiest first: short phrases for people."""
    article_probability: float
    """The probability that the page is an article, a live blog, a gallery or a video."""

    @property
    def is_article_like(self) -> bool:
        """Whether the kind is one of `ARTICLE_LIKE`."""
        return self.kind in ARTICLE_LIKE


def judge(page: Page, extraction: Extraction, metadata: Metadata) -> PageKind:
    """Return the kind of a page, given its extraction and metadata.

    A home page is a listing whatever is on it.
    """
    return _plain_kind(page, extraction, metadata) or _judged(page, extraction, metadata)


def _plain_kind(page: Page, extraction: Extraction, metadata: Metadata) -> PageKind | None:
    """Return the kind of a page that needs no model, else `None`."""
    if is_home(page.url):
        return PageKind("listing", _SURE, ("home page",), 1 - _SURE)
    if not extraction:
        return PageKind("other", _SURE, ("no main content",), 1 - _SURE)
    if sign := _other_than_html(page.decoded.text):
        return PageKind("other", _SURE, (sign,), 1 - _SURE)
    if _is_hydrated(extraction, metadata):
        return PageKind(
            "article", _HYDRATED, ("the data for its scripts has a headline, a date and a text",), _HYDRATED
        )
    return None


def _judged(page: Page, extraction: Extraction, metadata: Metadata) -> PageKind:
    model, features = load(), features_of(page, extraction, metadata)
    require_fit(model, features.names)
    article, listing, other = chances_of(model, features)
    found = format_of(page, extraction, metadata)
    if found and (article >= FORMAT_FROM or found.is_declared):
        return PageKind(found.kind, found.probability, found.reasons, max(article, found.probability))
    is_article = article >= ARTICLE_FROM
    reasons = reasons_for(model, features, is_article=is_article)
    if is_article:
        return PageKind("article", article, reasons, article)
    kind: Kind = "listing" if listing >= other else "other"
    return PageKind(kind, max(listing, other), reasons, article)


def _is_hydrated(extraction: Extraction, metadata: Metadata) -> bool:
    """Tell whether the text is from the page's data and has a date: the model judges what a page shows, here nothing.

    Products and threads have texts in such data, too; those that declare what they are are left to the model.
    """
    if extraction.sources.get("articleBody") != HYDRATION or not metadata.datePublished:
        return False
    if count_words(extraction.text) < _HYDRATED_WORDS:
        return False
    declared = {name.lower() for name in (*metadata.schemaTypes, metadata.ogType or "")}
    return not any(word in name for name in declared for word in _NO_ARTICLES)


def _other_than_html(text: str) -> str:
    """Return how a page without markup differs from HTML; an empty string for all others."""
    ends = text.lstrip()[:1] + text.rstrip()[-1:]
    if ends in ("{}", "[]") and _JSON_START.match(text):
        return "JSON, not HTML"
    return "" if _TAG.search(text) else "no markup"


def chances_of(model: PageClassifier, features: PageFeatures) -> tuple[float, float, float]:
    """Return the probabilities of article, listing and other.

    Two rules correct the model, as the corpora have few newspaper sections to learn from: headlines with teasers are a
    listing unless the page declares itself an article, and so is a page without an article whose text is largely
    headlines.
    """
    article, listing, other = model.chances(features.row[None])[0].tolist()
    place, declared, text = (features.families[name] for name in ("place", "declared", "text"))
    headlines = place["among_headlines"] * expm1(text["kept_blocks"])
    is_declared = declared["type_article"] or declared["og_article"]
    if is_declared or headlines < MIN_TEASERS or place["among_headlines"] < TEASERS_A_BLOCK:
        is_list = text["headlines_share"] >= LIST_SHARE and expm1(text["headlines"]) >= MIN_TEASERS
        return (article, max(listing, other), min(listing, other)) if is_list else (article, listing, other)
    left = min(article, _TEASED)
    return left, (1 - left) * (1 - _TEASED), (1 - left) * _TEASED


def require_kind(kind: PageKind, extraction: Extraction, wanted: Collection[str] = ARTICLE_LIKE) -> None:
    """Raise `NoArticle`, with the strongest reason, unless the page is of a wanted kind and has enough text.

    A page that is neither wanted nor a listing ends as `other`. Galleries and videos may be short.
    """
    if not extraction:
        raise NoArticle(PageState.EMPTY, Notice(NoticeCode.NO_CONTENT))
    if kind.kind not in wanted:
        state = PageState.LISTING if kind.kind == "listing" else PageState.OTHER
        sign = Notice(NoticeCode.OF_KIND, sign=kind.reasons[0])
        raise NoArticle(state, Notice(NoticeCode.NOT_WANTED, kind=kind.kind) if kind.is_article_like else sign)
    if kind.kind in ("article", "live") and count_words(extraction.text) < MIN_WORDS:
        raise NoArticle(PageState.EMPTY, Notice(NoticeCode.TOO_SHORT))


def check_kinds(names: Collection[str]) -> tuple[Kind, ...]:
    """Return the kinds with these names, each once.

    Raises:
        UnknownKind: a name is unknown, or there are none.
    """
    if isinstance(names, str) or not names:
        raise UnknownKind(f"{names!r} is not a list of kinds of pages; there are {', '.join(KINDS)}")
    for name in names:
        if name not in KINDS:
            raise UnknownKind(f"no kind of page is called {name!r}; there are {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if kind in names)


def is_home(url: str | None) -> bool:
    """Tell whether the URL is that of a home page."""
    parts = split_url(url or "")
    return bool(parts.netloc) and parts.path in ("", "/") and not parts.query
