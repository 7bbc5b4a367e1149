"""Drops repeated articles: by their URLs, and by their text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self
from zlib import crc32

from newsextract.article import Article
from newsextract.crawl.page_end import PageDropped, PageEnd
from newsextract.crawl.spider_arguments import sites_of
from newsextract.page.urls import url_key
from newsextract.reading.notices import PageState
from newsextract.sites.article_address import address_of
from newsextract.sites.site import SiteIndex
from newsextract.storage.articles import text_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler

    from newsextract.sites.site import Site

_SKETCH_LINES = 6
"""Lines of a text that are compared to recognise another version of it."""
_SHARED_RATIO = 1 / 3
"""The least share of these lines that two versions have in common: one may be cut to half."""


class DuplicatesPipeline:
    """Drops an article that this run has already met at one of its URLs, or whose text on the same site it has.

    The same text on two sites is two articles: who published what is the point of a watch. Two texts that are said to
    be at one URL, and have nothing in common, are two articles as well. With a database, `DatabasePipeline` finds what
    earlier runs and other crawlers have met.
    """

    def __init__(self, sites: Iterable[Site] = ()) -> None:
        self.sites = SiteIndex(sites)
        self.urls: set[str] = set()
        """Keys of the URLs where articles were fetched."""
        self.sketches: dict[str, tuple[int, ...]] = {}
        """The sketches of the texts, by the keys of their fetched and canonical URLs."""
        self.texts: set[str | None] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the spider's sites, which may join several hosts."""
        return cls(sites_of(crawler.spider))

    def process_item(self, item: Any) -> Any:
        """Return the article if it is new."""
        if not isinstance(item, Article):
            return item
        own, key, sketch = url_key(item.url or ""), url_key(address_of(item, self.sites)), _sketch(item)
        # Either may come first: the page at the canonical URL, or a page that states it.
        known = (self.sketches[one] for one in (own, key) if one in self.sketches)
        if (own and own in self.urls) or any(_is_same(sketch, one) for one in known):
            raise PageDropped(PageEnd(PageState.DUPLICATE, "same canonical URL"), item.url)
        text = text_key(item)
        if text and text in self.texts:
            raise PageDropped(PageEnd(PageState.DUPLICATE, "same text"), item.url)
        self.urls.add(own)
        self.sketches[own] = sketch
        self.sketches.setdefault(key, sketch)
        self.texts.add(text)
        return item


def _sketch(article: Article) -> tuple[int, ...]:
    r"""Return the lowest hashes of a text's lines, which are the same in every process.

    >>> _sketch(Article("https://a.example/", articleBody="one\ntwo"))
    (298486374, 2053932785)
    """
    lines = (article.articleBody or "").encode("utf-8", "replace").splitlines()
    return tuple(sorted(map(crc32, lines))[:_SKETCH_LINES])


def _is_same(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    # Only the lowest hashes of both together: a page that quotes a line of an article is not a version of it.
    lowest = sorted({*one, *other})[:_SKETCH_LINES]
    shared = len({*one}.intersection(other, lowest))
    return shared > 0 and shared >= len(lowest) * _SHARED_RATIO
