"""What kind of page a page is: an article, a live blog, a gallery, a video, a listing, or something else."""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from newsextract.page.words import count_words
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.page_kinds.article_formats import format_of
from newsextract.reading.page_kinds.kind_model import load, reasons_for, require_fit
from newsextract.reading.page_kinds.page_features import features_of
from newsextract.reading.page_state import NoArticle, PageState

if TYPE_CHECKING:
    from collections.abc import Collection

    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata import Metadata
    from newsextract.reading.page_kinds.kind_model import PageClassifier
    from newsextract.reading.page_kinds.page_features import PageFeatures

Kind: TypeAlias = Literal["article", "live", "gallery", "video", "listing", "other"]

KINDS: tuple[Kind, ...] = get_args(Kind)
ARTICLE_LIKE: tuple[Kind, ...] = ("article", "live", "gallery", "video")
"""The kinds that report something, and become items unless a project wants others."""

ARTICLE_FROM = 0.4
"""Probability from which on a page is taken for an article: to lose one is worse than to keep a page of a service."""

FORMAT_FROM = 0.1
"""Probability of an article below which no URL makes a page a gallery or a video: it lists them."""

MIN_WORDS = 20
"""Shorter than this is a caption or a notice; the shortest news brief has about thirty words."""

TEASERS_A_BLOCK = 0.9
"""Linked headlines for each block kept, among these, from which on it is headlines with teasers; articles have some
among their paragraphs at most: of 3,900 five to seven reach this."""
MIN_TEASERS = 5

LIST_SHARE = 0.3
"""Share of the page's text that is headlines, each a link, from which on a page without an article is a listing: of the
labelled listings a third have as much, of shops, services and forums one in twelve."""

_SURE = 0.99
_TEASED = 0.1
"""How likely such a page is an article after all, and something else than a listing."""


class UnknownKind(ValueError):  # noqa: N818 - the name says that it is an error
    """No kind of page has this name; the message lists those there are."""


@dataclass(frozen=True, slots=True)
class PageKind:
    """What a page was taken for."""

    kind: Kind
    probability: float
    """How likely the page is of this kind, from 0 to 1."""
    reasons: tuple[str, ...]
    """What speaks for it, the weightiest first: short phrases for people."""
    article_probability: float
    """How likely the page is an article, a live blog, a gallery or a video."""

    @property
    def is_article_like(self) -> bool:
        """Whether the page is of a kind that reports something."""
        return self.kind in ARTICLE_LIKE


def judge(page: Page, extraction: Extraction, metadata: Metadata) -> PageKind:
    """Return the kind of a page, given what was kept and read of it.

    A home page is a listing whatever stands on it.
    """
    if is_home(page.url):
        return PageKind("listing", _SURE, ("home page",), 1 - _SURE)
    if not extraction:
        return PageKind("other", _SURE, ("no main content",), 1 - _SURE)
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


def chances_of(model: PageClassifier, features: PageFeatures) -> tuple[float, float, float]:
    """Return the probabilities of article, listing and other.

    A sequence of headlines with teasers is a listing, unless the page declares that it is an article, and so is a page
    without an article whose text is headlines to a good part: the corpora have few sections of newspapers to learn it
    from.
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
    """Raise `NoArticle`, with the strongest reason, unless the page is of a kind that is wanted and holds some text.

    What neither is wanted nor a listing ends as `other`; a gallery or a video may well be short.
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
    """Return the kinds of these names, each once.

    Raises:
        UnknownKind: there is none of a name, or no name at all.
    """
    if isinstance(names, str) or not names:
        raise UnknownKind(f"{names!r} is no list of kinds of pages; there are {', '.join(KINDS)}")
    for name in names:
        if name not in KINDS:
            raise UnknownKind(f"no kind of page is called {name!r}; there are {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if kind in names)


def is_home(url: str | None) -> bool:
    """Return whether it is the address of a home page."""
    try:
        parts = urlsplit(url or "")
    except ValueError:  # no address at all
        return False
    return bool(parts.netloc) and parts.path in ("", "/") and not parts.query
