"""Whether a page is an article or a list of articles, by what it says of itself, its URL and its text.

Signs vote with weights; a positive sum is an article. A first, hand-weighted version that works in any language.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from newsextract.outcome import NoArticle, PageState
from newsextract.sites.links import article_likeness
from newsextract.words import count_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.extraction import Extraction
    from newsextract.metadata import Metadata

MIN_WORDS = 20
"""Shorter than this is a caption or a notice; the shortest news brief has about thirty words."""

LONG_WORDS = 120
"""Text of this many words with few links is more than teasers give an extractor."""

PLAIN_LINK_DENSITY = 0.2
"""Share of the kept text in links that articles seldom reach, and lists of teasers mostly do."""

MAX_LINK_DENSITY = 0.4
"""Share of the kept text in links above which it is a list of links."""

MAX_TEASERS = 0.75
"""Blocks that are a linked sentence, for each block of text kept, between the first and the last of these: a headline
above each teaser. An article has some among its paragraphs at most."""

_LINKED = 0.9
_HEADLINE_CHARS = 20
_TEASER_CHARS = 40
"""Shorter are dates and names, of which each teaser has its own."""

_LIST_TYPES = frozenset(("CollectionPage", "SearchResultsPage", "ItemList", "WebSite", "ProfilePage"))


@dataclass(frozen=True, slots=True)
class Sign:
    """A reason to take a page for an article (weight above 0) or a listing (below)."""

    name: str
    weight: float


def require_article(url: str | None, extraction: Extraction, metadata: Metadata) -> None:
    """Raise `NoArticle`, with the strongest reason, unless the page is an article."""
    if not extraction:
        raise NoArticle(PageState.EMPTY, "no main content")
    if url and _is_home(url):
        raise NoArticle(PageState.LISTING, "home page")
    signs = list(signs_of(url, extraction, metadata))
    if sum(sign.weight for sign in signs) < 0:
        raise NoArticle(PageState.LISTING, min(signs, key=lambda sign: sign.weight).name)
    if count_words(extraction.text) < MIN_WORDS:
        raise NoArticle(PageState.EMPTY, "too short")


def signs_of(url: str | None, extraction: Extraction, metadata: Metadata) -> Iterator[Sign]:
    """Yield the signs that the page shows."""
    chars = sum(len(block.text) for block in extraction.blocks)
    density = sum(block.link_chars for block in extraction.blocks) / chars
    if density > MAX_LINK_DENSITY:
        yield Sign("mostly links", -2.0)
    elif density < PLAIN_LINK_DENSITY and count_words(extraction.text) >= LONG_WORDS:
        yield Sign("long text", 1.0)
    if teasers(extraction) > MAX_TEASERS:
        yield Sign("headlines with teasers", -2.0)
    if metadata.ogType == "article" or any("Article" in kind or "Posting" in kind for kind in metadata.schemaTypes):
        yield Sign("says that it is an article", 1.0)
    elif metadata.schemaTypes & _LIST_TYPES:
        yield Sign("says that it is a list", -0.5)
    if metadata.datePublished:
        yield Sign("has a date", 0.5)
    if url:
        yield Sign("URL of a listing", 2 * article_likeness(url) - 1)


def teasers(extraction: Extraction) -> float:
    """Return how many linked headlines there are for each block of text kept, among these."""
    blocks = extraction.blocks
    table = blocks[0].outline.table
    lengths = np.fromiter(map(len, table.texts), np.intp, len(table.texts))
    is_headline = (table.link_chars >= _LINKED * lengths) & (lengths >= _HEADLINE_CHARS)
    is_among = (table.starts >= blocks[0].start) & (table.stops <= blocks[-1].stop)
    plain = sum(block.link_density < _LINKED and len(block.text) >= _TEASER_CHARS for block in blocks)
    return float((is_headline & is_among).sum()) / max(plain, 1)


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query
