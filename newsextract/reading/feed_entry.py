"""The text of an article in its site's feed, packed until it is known whether it is needed; loads no reader."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.article import Article
    from newsextract.page.page import Page
    from newsextract.reading.notices import PageState

FEED = "feed"
"""The source of a body that is a feed's."""

EXTRACTOR = "feed_text"
"""Stands in the place of the extractor's name in an article that was made of a feed's text."""

MIN_CONTENT_WORDS = 20
"""The least for an article anywhere, see `kinds`."""
MIN_SUMMARY_WORDS = 100
"""A shorter summary, or a content that breaks off, is a teaser: editors write them of ten to sixty words."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """What a feed says of one article, its text included."""

    feed: str
    """The URL of the feed."""
    body: str
    is_html: bool = True
    """Whether the body is markup, and no plain text."""
    is_summary: bool = False
    """Whether the body stands where a summary is expected."""
    title: str | None = None
    summary: str | None = None
    """The summary beside a full text."""
    published: str | None = None
    """ISO 8601."""
    modified: str | None = None
    """ISO 8601."""
    authors: tuple[str, ...] = ()
    language: str | None = None
    keywords: tuple[str, ...] = ()

    def pack(self) -> bytes:
        """Return the entry compressed: thousands wait in a crawl for the visits of their pages."""
        return zlib.compress(json.dumps(asdict(self), ensure_ascii=False).encode("utf-8", "replace"))

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """Return the entry that `pack` has packed."""
        values = json.loads(zlib.decompress(packed))
        lists = {name: tuple(values[name]) for name in ("authors", "keywords")}
        return cls(**values | lists)


@dataclass(frozen=True, slots=True)
class Instead:
    """The page for which an entry is the fallback."""

    url: str
    state: PageState
    """How the visit of the page has ended."""
    reason: str
    site_rights: Mapping[str, str]
    page: Page | None = None
    """The page, if it could be fetched: it tells the rights, and may yet show more than the feed has."""


def is_fallback(article: Article) -> bool:
    """Return whether an article was made of a feed's text, because its page could not be read."""
    return article.extraction is not None and article.extraction.extractor == EXTRACTOR
