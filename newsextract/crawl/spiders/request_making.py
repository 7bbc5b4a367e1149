"""The requests of the `news` spider: what each is for travels in its meta, where components and job queues find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from newsextract.crawl.extensions.page_states import PAGE_ROLE, SITE
from newsextract.crawl.middlewares.article_requests import OPT_IN
from newsextract.crawl.page_responses import HINTS
from newsextract.crawl.spiders.ledger_findings import of_candidate, of_listing, of_source
from newsextract.page.urls.clean_urls import clean_url, unique_urls
from newsextract.reading.next_page import is_numbered
from newsextract.sites.published.sitemaps import MAX_SITEMAP_BYTES
from newsextract.sites.published.tdmrep import MAX_TDMREP_BYTES, TDMREP_PATH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy.robotstxt import RobotParser

    from newsextract.crawl.spiders.news import NewsSpider
    from newsextract.sites.frontier.candidate import Candidate

LISTING, CANDIDATE, PART = "listing", "candidate", "part"
"""The roles of a page: visited for its links, to be an article, or to be joined to one."""

DEPTH = "newsextract_depth"
"""Key of a candidate's meta that tells how many clicks from the home page it is."""

TDMREP_PRIORITY = 50
"""Before everything else, as pages that arrive earlier do without it: it is one small file a host."""

HOME_PRIORITY, SOURCE_PRIORITY, LISTING_PRIORITY = 40, 30, 20
"""What tells of many pages comes before any one page, which has priority 0, or 1 if its address promises an article."""

LATER_PRIORITY = -1
"""What may be a further page of an article that will be joined comes after those that may be first ones."""

REVISIT_PRIORITY = -2
"""What is new comes before what was seen."""

CUSTOMARY_SITEMAP = "/sitemap.xml"
"""Where the sitemap is when robots.txt names none."""


def sitemap_urls(robots: RobotParser | None, url: str, given: Sequence[str] = ()) -> list[str]:
    """Return the sitemaps given for the site, else those in the robots.txt of the page's host, else the customary."""
    if given:
        return list(given)
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
        request = self._page(url, site, LISTING, self.spider.parse_listing, priority, depth=depth)
        return self.spider.book.known(request, of_listing(url, site, depth))

    def candidate(self, candidate: Candidate, site: str, hints: dict[str, str]) -> Request:
        """Return the request for a page that may be an article, with what feeds and news sitemaps say of it."""
        is_later = self.spider.joins_pages_of(site) and is_numbered(candidate.url)
        priority = LATER_PRIORITY if is_later else int(candidate.is_article_like)
        if candidate.is_revisit:
            priority = REVISIT_PRIORITY
        request = self._page(candidate.url, site, CANDIDATE, self.spider.parse_page, priority)
        request.meta.update({HINTS: hints, DEPTH: candidate.depth})
        return self.spider.book.known(request, of_candidate(candidate, site))

    def part(self, url: str, site: str) -> Request:
        """Return the request for a further page of an article, which is downloaded where its first page is handled."""
        return self._page(url, site, PART, NO_CALLBACK, priority=0)

    def source(self, kind: str, url: str, site: str) -> Request:
        """Return the request for one of the `feeds` or `sitemaps`, which may be kept on another host."""
        callback: Callable[..., Any] = self.spider.parse_feed if kind == "feeds" else self.spider.parse_sitemap
        request = Request(
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
        return self.spider.book.known(request, of_source(kind, url, site))

    def tdmrep(self, url: str) -> Request:
        """Return the request for the tdmrep.json of a page's host: neither a page nor a source of addresses."""
        found = clean_url(TDMREP_PATH, url) or url
        host = urlsplit(found).netloc
        return Request(
            found,
            callback=self.spider.parse_tdmrep,
            cb_kwargs={"host": host},
            errback=self.spider.tdmrep_failed,
            priority=TDMREP_PRIORITY,
            meta={OPT_IN: False, "download_maxsize": MAX_TDMREP_BYTES, "download_slot": host},
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
