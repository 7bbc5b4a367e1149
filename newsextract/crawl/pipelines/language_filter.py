"""Drops articles in languages that the list of sites does not ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured

from newsextract.article import Article
from newsextract.crawl.page_end import PageDropped, PageEnd
from newsextract.crawl.spider_arguments import sites_of
from newsextract.reading.notices import PageState
from newsextract.sites.site import SiteIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler

    from newsextract.sites.site import Site


class LanguagesPipeline:
    """Drops an article whose language is known and not among the languages of its site."""

    def __init__(self, sites: Iterable[Site]) -> None:
        self.index = SiteIndex(sites)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the spider's sites; raises `NotConfigured` if none of them has languages."""
        sites = sites_of(crawler.spider)
        if not any(site.languages for site in sites):
            raise NotConfigured
        return cls(sites)

    def process_item(self, item: Any) -> Any:
        """Return the article if its site asks for its language, or if the language is unknown."""
        if isinstance(item, Article):
            site = self.index.find(item.url or "")
            if site is not None and site.speaks(item.inLanguage) is False:
                raise PageDropped(PageEnd(PageState.OTHER, "another language"), item.url)
        return item
