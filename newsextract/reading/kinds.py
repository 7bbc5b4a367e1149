"""Decide the kind of a page: an article, a live blog, a gallery, a video, a thread, a listing, or something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from math import expm1
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from newsextract.page.text import count_words
from newsextract.page.urls import read_address, split_url
from newsextract.reading.kind_features import features_of
from newsextract.reading.notices import (
    ARTICLE_LIKE,
    HYDRATION,
    KINDS,
    Kind,
    NoArticle,
    Notice,
    NoticeCode,
    PageState,
    noticed,
)
from newsextract.reading.trained_models.boosted_trees import WeightFile, inputs_in, trees_in, write_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.kind_features import PageFeatures
    from newsextract.reading.metadata.clues import Metadata
    from newsextract.reading.trained_models.boosted_trees import Arrays, ObliviousTrees

    Floats = NDArray[np.float64]
    Rows = NDArray[np.float32]


# The trained classifier of pages: the probabilities of the kinds, and the reasons for them.
#
# A reason is a sign that the page shows. To weigh a sign, its features get the typical values of the other side: the
# more the score moves, the more the sign matters. Only phrases that are true of the page are given.

_STAGES = ("article", "thread", "listing")

MOST = 3
"""The most reasons given."""
_SLIGHT = 0.05
"""Log-odds by which a sign must move the score to be a reason."""
_URLS = ("url_",)

Values = Mapping[str, float]
Chances: TypeAlias = tuple[float, float, float, float]
"""The probabilities of article, thread, listing and other, which add up to 1."""
_OTHERS: tuple[Kind, ...] = ("thread", "listing", "other")


@dataclass(frozen=True)
class PageClassifier:
    """Ensembles of trees: articles are told from all other pages, threads from the rest, listings from what remains."""

    article: ObliviousTrees
    thread: ObliviousTrees
    listing: ObliviousTrees
    typical: Rows
    """2 x features: the medians of other pages and of articles, with which reasons are weighed."""
    inputs: tuple[str, ...]
    """The names of the features it was trained on."""

    def chances(self, rows: Rows) -> Floats:
        """Return the probabilities of article, thread, listing and other for each row; they add up to 1."""
        article, thread, listing = (getattr(self, stage).probabilities(rows) for stage in _STAGES)
        rest = (1 - article) * (1 - thread)
        return np.array([article, (1 - article) * thread, rest * listing, rest * (1 - listing)]).T


def save(model: PageClassifier, path: Path) -> None:
    """Write the weights; equal weights give equal bytes."""
    write_weights(path, {"typical": model.typical}, model.inputs, {stage: getattr(model, stage) for stage in _STAGES})


def _built(arrays: Arrays) -> PageClassifier:
    stages = {stage: trees_in(arrays, stage) for stage in _STAGES}
    return PageClassifier(typical=arrays["typical"].astype(np.float32), inputs=inputs_in(arrays), **stages)


WEIGHTS = WeightFile("page_weights.npz", "the classifier of pages", _built)
load = WEIGHTS.load


@dataclass(frozen=True, slots=True)
class Sign:
    """A phrase, prefixes of the names of its features, and a test whether it is true of a page."""

    phrase: str
    features: tuple[str, ...]
    holds: Callable[[Values], object]
    """Returns any value, used as true or false."""


_TYPES = ("type_", "og_", "body_", "head_price")
_SCATTER = ("flow_", "among_left", "left_share", "long_share")
_FORMS = ("tag_form", "tag_input", "tag_button", "tag_select", "tag_textarea", "page_prices", "named_price")

FOR = (
    Sign("says that it is an article", (*_TYPES, "head_"), lambda v: v["type_article"] or v["og_article"]),
    Sign("has a date", ("date_", "head_time", "tag_time"), lambda v: v["date_source"] > 1),
    Sign("names its author", ("author", "named_author", "head_author"), lambda v: v["author_source"] > 0),
    Sign("URL of an article", _URLS, lambda v: v["url_likeness"] > 0.6),
    Sign("running text", ("kept_",), lambda v: v["kept_sentences"] > 0.6),
    Sign("text in one piece", (*_SCATTER, "around_story"), lambda v: v["flow_best_1"] > 0.5 or v["flow_best_2"] > 0.6),
    Sign("few links", ("page_link", "headlines", "headings_linked"), lambda v: v["page_link_share"] < 0.4),
)
"""Signs of an article."""

AGAINST = (
    Sign("says that it is a list", _TYPES, lambda v: v["type_list"] or v["body_many"]),
    Sign("says that it is a product", _TYPES, lambda v: v["type_product"] or v["og_product"] or v["head_price"]),
    Sign("says that it is a discussion", (*_TYPES, "around_message"), lambda v: v["type_forum"] or v["body_forum"]),
    Sign("says that it is about the house", _TYPES, lambda v: v["type_house"]),
    Sign("made like a manual", ("made_", "tag_code", "tag_pre", "body_manual"), lambda v: v["made_manual"]),
    Sign("made like a forum", ("made_", "around_message"), lambda v: v["made_forum"] or v["around_message"]),
    Sign("URL of a listing", _URLS, lambda v: v["url_listing"] > 0 or v["url_endless"] > 0 or v["url_is_paged"] > 0),
    Sign("URL of a home page", _URLS, lambda v: v["url_is_home"] > 0),
    Sign("URL of a shop", _URLS, lambda v: v["url_shop"] > 0),
    Sign("posts with names and dates", ("posts",), lambda v: v["posts"] > 0),
    Sign("URL of a forum", _URLS, lambda v: v["url_forum"] > 0),
    Sign("URL of a manual", _URLS, lambda v: v["url_manual"] > 0),
    Sign("URL of a service", _URLS, lambda v: v["url_service"] > 0 or v["url_house"] > 0),
    Sign("URL unlike an article's", _URLS, lambda v: 0 <= v["url_likeness"] < 0.4),
    Sign("texts with names and dates between", ("gap",), lambda v: v["gaps"] > 1 and v["gap_both"] > 0.5),
    Sign("headlines with teasers", ("among_", "headlines"), lambda v: v["among_headlines"] > 0.5),
    Sign("mostly links", ("page_link", "headlines", "kept_link_share"), lambda v: v["page_link_share"] > 0.6),
    Sign("prices", ("page_prices", "named_p"), lambda v: v["page_prices"] > 1 and v["named_price"] > 0),
    Sign("telephone numbers to call", ("page_phones",), lambda v: v["page_phones"] > 0),
    Sign("forms and buttons", _FORMS, lambda v: v["tag_button"] + v["tag_input"] + v["tag_select"] > 2),
    Sign(
        "code",
        ("tag_code", "tag_pre", "inside_code", "inside_pre", "kept_in_pre", "named_code"),
        lambda v: v["tag_code"] + v["tag_pre"] > 1,
    ),
    Sign("text in scattered pieces", _SCATTER, lambda v: v["long"] > 1 and v["flow_best_1"] < 0.5),
    Sign("little running text", ("kept_", "long"), lambda v: v["kept_sentences"] < 0.5 or v["kept_size"] < 6),
    Sign("neither date nor author", ("date_", "author", "head_"), lambda v: v["date_source"] + v["author_source"] == 0),
)
"""Signs of a page that is not an article."""


def reasons_for(model: PageClassifier, features: PageFeatures, *, is_article: bool) -> tuple[str, ...]:
    """Return the phrases of the signs that support the verdict, the weightiest first; at least one."""
    values = {name: value for family in features.families.values() for name, value in family.items()}
    signs = [sign for sign in (FOR if is_article else AGAINST) if sign.holds(values)]
    row = features.row
    rows = np.repeat(row[None], len(signs) + 1, axis=0)
    other_side = model.typical[0 if is_article else 1]
    for number, sign in enumerate(signs, start=1):
        changed = _places(model.inputs, sign.features)
        rows[number, changed] = other_side[changed]
    scores = model.article.raw(rows)
    moves = (scores[0] - scores[1:]) * (1 if is_article else -1)
    order = np.argsort(-moves, kind="stable").tolist()
    found = tuple(signs[number].phrase for number in order[:MOST] if moves[number] > _SLIGHT)
    return found or ("reads like an article" if is_article else "shows no sign of an article",)


@cache
def _places(inputs: tuple[str, ...], beginnings: tuple[str, ...]) -> list[int]:
    return [number for number, name in enumerate(inputs) if name.startswith(beginnings)]


# Recognise live blogs, galleries and videos by the page's declarations, its URL and its parts.
#
# No corpus labels them, so these are rules. Each needs two kinds of evidence unless structured data declares it.

Format = Literal["live", "gallery", "video"]

MIN_ENTRIES = 5
"""The least number of times of day, or `<time>` elements, in a sequence of entries."""
MIN_PICTURES = 5
WORDS_A_PICTURE = 25
"""The most words per image in a gallery; a page with more is a story with pictures."""
CLIP_WORDS = 200
"""The most words beside a video; a page with more is a story with a video."""

_DECLARED, _NAMED = 0.95, 0.8
"""The probability if structured data declares the format, and if URL and parts of the page agree on it."""

_CLOCK = re.compile(r"(?<![\d:])(?:[01]?\d|2[0-3])[:.h][0-5]\d(?![\d:])")
_WORDS: dict[Format, frozenset[str]] = {
    "live": frozenset(
        "live liveblog live-blog livereport live-updates live-news liveticker live-ticker newsticker ticker direct "
        "en-direct direto ao-vivo en-vivo envivo directo minuto-a-minuto diretta in-diretta canli canli-anlatim "
        "na-zywo relacja-na-zywo online onlain zive direkte onlajn zhibo 直播 онлайн مباشر 速報".split()
    ),
    "gallery": frozenset(
        "gallery galleries photo-gallery photogallery picture-gallery photos pictures in-pictures slideshow slideshows "
        "galerie galeries diaporama diaporamas photo bilder bildergalerie bildergalerien fotostrecke fotostrecken "
        "fotos fotogalerie fotogaleria fotogalerias galeria galerias galleria fotogallery foto foto-galeri "
        "fotogaleri galeri zdjecia fotoreportaz fotoreportazh foto-galerija tuji 图片 图集 фото صور 写真".split()
    ),
    "video": frozenset(
        "video videos watch clip clips av tv-video videoclip mediathek wideo shipin 视频 видео فيديو 動画 영상".split()
    ),
}


def format_of(page: Page, extraction: Extraction, metadata: Metadata) -> tuple[Format, float, tuple[str, ...]] | None:
    """Return the page's format, its probability and the reasons for it; `None` if it is plain text."""
    count_of, types = page.outline.tags.count, metadata.schemaTypes
    segments = read_address(page.url or metadata.canonicalUrl or "").segments
    named = {kind for kind, words in _WORDS.items() if not words.isdisjoint(segments)}
    if "LiveBlogPosting" in types or len(metadata.liveBlogUpdates or ()) >= MIN_ENTRIES:
        return "live", _DECLARED, ("says that it is a live blog",)
    if "live" in named and max(count_of("time"), len(_CLOCK.findall(extraction.text))) >= MIN_ENTRIES:
        return "live", _NAMED, ("URL of a live blog", "entries with times")
    says = not types.isdisjoint(("ImageGallery", "MediaGallery"))
    if says or "gallery" in named:
        pictures = count_of("figure") or count_of("picture") + count_of("img")
        if pictures >= MIN_PICTURES and count_words(extraction.text) <= WORDS_A_PICTURE * pictures:
            reason = "says that it is a gallery" if says else "URL of a gallery"
            return "gallery", _NAMED, (reason, "pictures with little text")
    says = (metadata.ogType or "").lower().startswith("video")
    is_player = "video" in named and (count_of("video") or count_of("iframe") or "VideoObject" in types)
    if (says or is_player) and count_words(extraction.text) <= CLIP_WORDS:
        reason = "says that it is a video" if says else "URL of a video"
        return "video", _DECLARED if says else _NAMED, (reason, "little text")
    return None


ARTICLE_FROM = 0.3
"""The least probability of an article. On folds disjoint by site at least 98 of 100 pages of news reach it.

A higher one would lose short news and articles of mixed sites, for some thousandths of F1.
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


def judge(page: Page, extraction: Extraction, metadata: Metadata) -> PageKind:
    """Return the kind of a page, given its extraction and metadata.

    A home page is a listing whatever is on it.
    """
    if is_home(page.url):
        return PageKind("listing", _SURE, ("home page",), 1 - _SURE)
    if sign := _other_than_html(page.decoded.text) if extraction else "no main content":
        return PageKind("other", _SURE, (sign,), 1 - _SURE)
    if _is_hydrated(extraction, metadata):
        return PageKind(
            "article", _HYDRATED, ("the data for its scripts has a headline, a date and a text",), _HYDRATED
        )
    model, features = load(), features_of(page, extraction, metadata)
    chances = chances_of(model, features)
    article = chances[0]
    if extraction.posts:
        return PageKind("thread", _DECLARED, ("says that it is a discussion", "posts with names and dates"), article)
    found = format_of(page, extraction, metadata)
    if found and (article >= FORMAT_FROM or found[1] >= _DECLARED):
        return PageKind(*found, max(article, found[1]))
    is_article = article >= ARTICLE_FROM
    # What looks like a thread and has no posts is something else, such as a page that its script has yet to fill.
    chances = (article, 0.0, chances[2], chances[1] + chances[3])
    kind = "article" if is_article else likeliest_other(chances)
    probability = article if is_article else max(chances[1:])
    return PageKind(kind, probability, reasons_for(model, features, is_article=is_article), article)


def _is_hydrated(extraction: Extraction, metadata: Metadata) -> bool:
    """Return whether the text is from the page's data and has a date: the model judges what a page shows, here nothing.

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


def likeliest_other(chances: Chances) -> Kind:
    """Return the likeliest kind but `article`."""
    return max(zip(chances[1:], _OTHERS, strict=True), key=itemgetter(0))[1]


def chances_of(model: PageClassifier, features: PageFeatures) -> Chances:
    """Return the probabilities of article, thread, listing and other.

    Two rules correct the model, as the corpora have few newspaper sections to learn from: headlines with teasers are a
    listing unless the page declares itself an article, and so is a page without an article whose text is largely
    headlines.
    """
    article, thread, listing, other = model.chances(features.row[None])[0].tolist()
    place, declared, text = (features.families[name] for name in ("place", "declared", "text"))
    headlines = place["among_headlines"] * expm1(text["kept_blocks"])
    is_declared = declared["type_article"] or declared["og_article"]
    if is_declared or headlines < MIN_TEASERS or place["among_headlines"] < TEASERS_A_BLOCK:
        is_list = text["headlines_share"] >= LIST_SHARE and expm1(text["headlines"]) >= MIN_TEASERS
        return article, thread, *((max(listing, other), min(listing, other)) if is_list else (listing, other))
    left = min(article, _TEASED)
    return left, 0.0, (1 - left) * (1 - _TEASED), (1 - left) * _TEASED


def require_kind(kind: PageKind, extraction: Extraction, wanted: Collection[str] = ARTICLE_LIKE) -> None:
    """Raise `NoArticle`, with the strongest reason, unless the page is of a wanted kind and has enough text.

    A page that is neither wanted nor a listing ends as `other`. Galleries and videos may be short.
    """
    if not extraction:
        only_dialog = next(noticed(NoticeCode.ONLY_DIALOG, extraction.warnings), None)
        raise NoArticle(PageState.EMPTY, only_dialog or Notice(NoticeCode.NO_CONTENT))
    if kind.kind not in wanted:
        state = PageState.LISTING if kind.kind == "listing" else PageState.OTHER
        is_of_text = kind.kind not in ("listing", "other")
        sign = Notice(NoticeCode.OF_KIND, sign=kind.reasons[0])
        raise NoArticle(state, Notice(NoticeCode.NOT_WANTED, kind=kind.kind) if is_of_text else sign)
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
    """Return whether the URL is that of a home page."""
    parts = split_url(url or "")
    return bool(parts.netloc) and parts.path in ("", "/") and not parts.query
