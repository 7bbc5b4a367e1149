"""Drops walls: one text under several headlines of a site is a paywall or a request to register."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from newsextract.article import Article
from newsextract.crawl.extensions.database_writer import Database
from newsextract.crawl.page_end import WALLED, PageDropped
from newsextract.crawl.pipelines.article_extraction import stand_ins_of
from newsextract.reading.feed_article import is_fallback
from newsextract.storage.articles import Flag, flag, text_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

    from newsextract.crawl.stand_ins import StandIns

MIN_HEADLINES = 3
"""Headlines that make a text a wall. One story may have two URLs with different headlines; three are rare."""

WARNING = "the same text stands under other headlines of the site: a wall or a notice, and no article"


@dataclass
class _Text:
    headlines: set[str] = field(default_factory=set)
    pages: set[tuple[str, str]] = field(default_factory=set)
    """The URL and the canonical URL of the pages that were stored as articles."""


class WallPipeline:
    """Drops the third page of a site that has another headline and the same text, and those that follow.

    The second page has ended as a duplicate. The first was stored as an article, and its row gets a warning.
    """

    def __init__(
        self, database: Database | None = None, stand_ins: Callable[[], StandIns | None] = lambda: None
    ) -> None:
        self.database = database
        self.stand_ins = stand_ins
        self.texts: dict[str, _Text] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's database, if it has one."""
        return cls(crawler.get_extension(Database), partial(stand_ins_of, crawler))

    async def process_item(self, item: Any) -> Any:
        """Return the article unless its text is a wall."""
        key = text_key(item) if isinstance(item, Article) else None
        if key is None:
            return item
        text = self.texts.setdefault(key, _Text())
        text.headlines.add(" ".join((item.headline or "").casefold().split()))
        if len(text.headlines) < MIN_HEADLINES:
            text.pages.add((item.url or "", item.canonicalUrl or ""))
            return item
        if self.database is not None and text.pages:
            flags = [Flag(url, canonical, WARNING) for url, canonical in sorted(text.pages)]
            text.pages.clear()
            await self.database.run_all(flag, flags)
        stand_ins = self.stand_ins() if not is_fallback(item) else None
        if stand_ins is not None and (article := await stand_ins.of_wall(item, WALLED)):
            return article
        raise PageDropped(WALLED, item.url)
