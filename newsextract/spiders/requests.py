"""The requests of the `news` spider: what each is for travels in its meta, where components and job queues find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request

from newsextract.extensions.page_states import PAGE_ROLE, SITE
from newsextract.sites.sitemaps import MAX_SITEMAP_BYTES
from newsextract.sites.urls import clean_url, unique_urls

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.robotstxt import RobotParser

    from newsextract.sites.candidates import Candidate
    from newsextract.spiders.news import NewsSpider

LISTING, CANDIDATE = "listing", "candidate"
"""The roles of a page: visited for its links, or to be an article."""

HOME_PRIORITY, SOURCE_PRIORITY, LISTING_PRIORITY = 40, 30, 20
"""What tells of many pages comes before any one page, which has priority 0, or 1 if its address promises an article."""

CUSTOMARY_SITEMAP = "/sitemap.xml"
"""Where the sitemap is when robots.txt names none."""


def sitemap_urls(robots: RobotParser | None, url: str) -> list[str]:
    """Return the sitemaps that the robots.txt of the page's host names, or the customary one."""
    named = list(getattr(getattr(robots, "rp", None), "sitemaps", ()))
    return unique_urls(clean_url(sitemap, url) for sitemap in named or [CUSTOMARY_SITEMAP])


@dataclass(frozen=True)
class RequestFactory:
    """Builds the requests whose answers come back to the spider."""

    spider: NewsSpider
    max_page_bytes: int

    def listing(self, url: str, site: str, depth: int) -> Request:
        """Return the request for a home (depth 0) or section page."""
        priority = LISTING_PRIORITY - depth if depth else HOME_PRIORITY
        return self._page(url, site, LISTING, self.spider.parse_listing, priority, depth=depth)

    def candidate(self, candidate: Candidate, site: str) -> Request:
        """Return the request for a page that may be an article."""
        return self._page(candidate.url, site, CANDIDATE, self.spider.parse_page, int(candidate.is_article_like))

    def source(self, url: str, site: str, callback: Callable[..., Any]) -> Request:
        """Return the request for a sitemap or feed, which may be kept on another host."""
        return Request(
            url,
            callback=callback,
            errback=self.spider.source_failed,
            priority=SOURCE_PRIORITY,
            meta={
                SITE: site,
                "allow_offsite": True,
                "download_maxsize": MAX_SITEMAP_BYTES,
                "download_slot": urlsplit(url).netloc,
            },  # fmt: skip
        )

    def _page(
        self, url: str, site: str, role: str, callback: Callable[..., Any], priority: int, **arguments: Any
    ) -> Request:
        return Request(
            url,
            callback=callback,
            cb_kwargs=arguments,
            errback=self.spider.download_failed,
            priority=priority,
            # A slot per host and port: two servers of one machine need not wait for each other.
            meta={
                SITE: site,
                PAGE_ROLE: role,
                "download_maxsize": self.max_page_bytes,
                "download_slot": urlsplit(url).netloc,
            },  # fmt: skip
        )
